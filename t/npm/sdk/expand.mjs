// expand.mjs FOLDER PORT SOCKET
//
// nginx listens on PORT and sends requests on to SOCKET, which is ours;
// FOLDER/files/{id} are the artifacts.  Prints TAP.

import { runClients } from './clients.mjs';
import { runMatrix } from './matrix.mjs';
import { runRoutes } from './routes.mjs';
import { apis } from './shapes.mjs';
import { done, ok } from './tap.mjs';
import { compile } from './types.mjs';


const [, , folder, port, socket] = process.argv;

const bodies = [
    ...await runClients(`http://127.0.0.1:${port}`, socket, folder),
    ...await runMatrix(port, socket, folder),
];

await runRoutes(`http://127.0.0.1:${port}`, socket, folder);

compile(folder, apis.map((row) => ({
    name: row.api,
    type: row.type,
    of: 'Request',
    wrong: row.wrong,
    values: bodies.filter(({ api }) => api === row.api)
        .map(({ label, body }) => ({
            label, source: (row.source ?? String)(body),
        })),
})));

ok(bodies.length > 2300, 'many of them', bodies.length);

done();
