// The frame of the page: which view stands in it, by what follows "#".

import { h, put } from './dom.js';
import * as api from './api.js';
import * as words from './words.js';
import { artifacts, workspaces } from './store.js';
import { artifact } from './artifact.js';
import { services } from './services.js';
import { requests } from './requests.js';
import { status } from './status.js';

const { t } = words;

const VIEWS = { artifacts, workspaces, services, requests, status };

// These are views only where they are answered.

const ASKED = { requests: { limit: 1 }, status: { format: 'json' } };

const main = document.getElementById('main');
const live = document.getElementById('live');

let leaving = new AbortController();

function route() {
    const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
    const parts = path.split('/').map((part) => {
        try {
            return decodeURIComponent(part);

        } catch {
            return part;
        }
    });

    return { view: parts[0], parts: parts.slice(1),
             query: new URLSearchParams(query) };
}

const shown = () => Object.keys(VIEWS).filter((view) =>
    api.paths[view] && (!ASKED[view] || api.answered[view]));

function frame(view) {
    document.documentElement.lang = words.current();
    document.querySelector('h1').textContent = t('title');
    document.getElementById('skip').textContent = t('skip');
    document.querySelector('nav').setAttribute('aria-label', t('views'));

    const other = document.getElementById('language');
    other.textContent = words.current() === 'zh' ? 'English' : '中文';
    other.lang = words.current() === 'zh' ? 'en' : 'zh';

    document.getElementById('views').replaceChildren(...shown().map((name) =>
        h('li', null, h('a', { href: `#/${name}`,
            'aria-current': name === view ? 'page' : null }, t(name)))));
}

// The directives that the page needs in the location of each path.

const DIRECTIVES = { artifacts: 'artifact', workspaces: 'artifact_workspace',
    services: 'artifact_services', status: 'artifact_status',
    requests: 'artifact_requests' };

function hint({ status, code, ref, place }) {
    const path = api.paths[place];

    return !path ? null
        : code === undefined && (status === 404 || status === 200)
            ? t('missing', path, DIRECTIVES[place])
            : code === 'artifact_not_found' && ref === ''
                ? t('unlisted', path, 'artifact_index on') : null;
}

export function complaint(error) {
    const what = error instanceof api.Refused
        ? hint(error) ?? (error.code === 'permission_denied'
            ? t('unreadable', error.ref)
            : [401, 403].includes(error.status) ? t('refused')
                : error.status === 404 ? t('nothing') : t('failed'))
        : error instanceof TypeError ? t('unreachable') : String(error);

    const more = [error.status, error.code, error.status && error.message]
        .filter(Boolean).join(' ');

    return h('p', { class: 'error' }, more ? `${what}: ${more}` : what);
}

async function show(move) {
    const { view, parts, query } = route();
    const y = history.state?.y;
    const name = VIEWS[view] || view === 'artifact' ? view
        : shown()[0] ?? 'artifacts';
    const draw = name === 'artifact' ? artifact : VIEWS[name];

    leaving.abort();
    leaving = new AbortController();

    const { signal } = leaving;
    const body = h('div', null, h('p', { class: 'quiet' }, t('loading')));
    const title = h('h2', { tabindex: '-1' }, t(name === 'artifact'
        ? 'artifacts' : name));

    // an artifact is one of those that its reference is among

    frame(name !== 'artifact' ? name : parts[0].startsWith('ws:')
        && api.paths.workspaces ? 'workspaces' : 'artifacts');
    main.replaceChildren(title, body);
    main.setAttribute('aria-busy', 'true');
    main.dataset.view = location.hash;
    document.title = `${title.textContent} – ${t('title')}`;

    if (move) {
        title.focus({ preventScroll: y !== undefined });
    }

    try {
        const made = await draw({ parts, query, signal, title, complaint });

        if (!signal.aborted) {
            put(body, made);
        }

    } catch (error) {
        if (!signal.aborted) {
            body.replaceChildren(complaint(error));
        }
    }

    if (!signal.aborted) {
        main.removeAttribute('aria-busy');
        document.title = `${title.textContent} – ${t('title')}`;
        live.textContent = title.textContent;

        if (move && y !== undefined) {
            scrollTo(0, y);
        }
    }
}

async function probe(view) {
    if (!api.paths[view]) {
        return;
    }

    try {
        await api.json(view, [], ASKED[view]);
        api.answered[view] = true;

    } catch {
        api.answered[view] = false;
    }
}

document.getElementById('skip').addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
});

document.getElementById('language').addEventListener('click', () => {
    words.change();
    show(false);
});

addEventListener('hashchange', () => show(true));

// Who comes back finds the page where it was left.

history.scrollRestoration = 'manual';
main.addEventListener('click', () => {
    history.replaceState({ y: scrollY }, '');
}, true);

try {
    await api.load();
    await Promise.all(Object.keys(ASKED).map(probe));
    await show(false);

} catch (error) {
    main.replaceChildren(complaint(error));
}
