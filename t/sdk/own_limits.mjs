// What the module is known not to see or to do: cells that a provider would
// refuse.  Either a sentence of docs/expand.md says so, or it is still to be
// done.
//
//   sentence  of docs/expand.md
//   todo      why it is not done yet
//   is        (cell, problem) => whether this is such a cell


export const limits = [
];
