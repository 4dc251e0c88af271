// Preloaded: what the conformance suite wants of a later Node.js, and needs for
// its reports about repositories only.

import { register } from 'node:module';

const fs = `export * from 'node:fs';
            export { default } from 'node:fs';
            export const globSync = () => [];`;

const hooks = `export async function resolve(name, context, next) {
    return name === 'fs' && context.parentURL?.includes('/conformance/dist/')
        ? { url: ${JSON.stringify(`data:text/javascript,${
            encodeURIComponent(fs)}`)}, shortCircuit: true }
        : next(name, context);
}`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
