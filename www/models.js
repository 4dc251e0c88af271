// Which models were chosen, as long as the browser remembers it.

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

// The first three of the map, until somebody chooses.

export async function models(signal) {
    chosen ??= remembered();

    if (chosen === null && paths.services) {
        try {
            const answer = await json('services', [], { limit: '3' },
                signal);
            chosen = answer.services.map((service) => service.id);

        } catch {
            return [];
        }
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
