// Which models were chosen, as long as the browser remembers it, and what the
// maps know of a name.

import { json, paths } from './api.js';

const KEY = 'artifact-inspector-models';
const MOST = 12;

let chosen = null;

function remembered() {
    try {
        const list = JSON.parse(localStorage.getItem(KEY));
        return Array.isArray(list)
            ? list.filter((id) => typeof id === 'string').slice(0, MOST) : null;

    } catch {
        return null;
    }
}

// The map that a service is from, by the keys that rows of such a map have
// (docs/capabilities.md).  An own service that has no more than LiteLLM's rows,
// an id and capabilities, cannot be told from them: "bare".

export function source({ id, name, model, description, ...more }) {
    if (more.format || more.capabilityTags) {
        return 'own';
    }

    if (!name && !model && !description) {
        return 'bare';
    }

    if (!description && id.endsWith(`/${model}`)) {
        return 'models.dev';
    }

    return name && description && id.includes('/') && model?.includes('/')
        ? 'OpenRouter' : 'own';
}

// The first three of the platform's own, until somebody chooses: lists begin
// with these.

export async function models(signal) {
    chosen ??= remembered();

    if (chosen === null && paths.services) {
        const { services } = await json('services', [], null, signal);
        const last = services.findLastIndex((one) => source(one) === 'own');

        chosen = services.slice(0, Math.min(3, last + 1)).map(({ id }) => id);
    }

    return chosen ?? [];
}

export function choose(id, wanted) {
    chosen = (chosen ?? []).filter((other) => other !== id);

    if (wanted) {
        chosen = [...chosen, id].slice(-MOST);
    }

    try {
        localStorage.setItem(KEY, JSON.stringify(chosen));

    } catch {
        // until the page is loaded again
    }
}

// The row that a name finds, how, and whether it has the capabilities of that
// row: a bare name of public maps may have those of most of its rows.

export async function resolve(typed, signal) {
    const row = await json('services', [typed], null, signal);
    const how = row.id === typed ? 'byid'
        : row.model === typed ? 'bymodel' : 'bypart';
    const same = how === 'byid' || JSON.stringify(row.capabilities)
        === JSON.stringify(await json('services', [row.id, 'capabilities'],
            null, signal));

    return { row, how, same };
}
