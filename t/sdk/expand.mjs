import { runClients } from './clients.mjs';
import { done } from './tap.mjs';
const [, , folder, port, socket]=process.argv;
await runClients(`http://127.0.0.1:${port}`, socket, folder);
done();
