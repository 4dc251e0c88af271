// Preloaded into the gateway, which listens at a port of all interfaces: it
// shall listen at the unix socket that LISTEN_PATH names, and nowhere else.

const { Server } = require('node:net');

const listen = Server.prototype.listen;


Server.prototype.listen = function (...args) {
    return listen.call(this, { path: process.env.LISTEN_PATH },
                       args.find((arg) => typeof arg === 'function'));
};
