// What the module is known not to see: cells that a provider would refuse, as a
// sentence of docs/expand.md says.
//
//   sentence  of docs/expand.md
//   is        (cell, problem) => whether this is such a cell

import { isTaken } from './own_cells.mjs';


export const limits = [
    {
        sentence: 'Formats not named here do not show their end.',
        is: ({ kind, state }, what) => kind === 'mp4' && state === 'cut'
            && what.endsWith('a box is cut'),
    },
    {
        sentence: "Nothing is assumed about unknown models: a typed slot is "
            + "filled if the content fits it, and the client's own media stay.",
        is: (cell, what) => cell.reader === 'unknown'
            && /^(whole|cut)$/.test(cell.state) && what.startsWith('refused')
            && !isTaken(cell),
    },
    {
        sentence: '`openai_responses` takes texts of any type',
        is: ({ slot, as, kind }, what) => kind === 'txt' && as === 'text/plain'
            && slot.api === 'openai_responses'
            && what.endsWith('type "text/x-plain"'),
    },
];
