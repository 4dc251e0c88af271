// TAP on the standard output.

let count = 0;


export function ok(pass, name, ...notes) {
    count++;

    console.log(`${pass ? '' : 'not '}ok ${count} - ${name}`);

    if (pass) {
        return;
    }

    process.exitCode = 1;

    for (const note of notes) {
        console.log(String(note).slice(0, 2000).replace(/^/gm, '# '));
    }
}


export function done() {
    console.log(`1..${count}`);
}
