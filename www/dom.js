// Elements are made here, and nowhere of markup: a text is always a text.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (typeof value === 'function') {
            element.addEventListener(name, value);

        } else if (value === true) {
            element.setAttribute(name, '');

        } else if (value !== false && value != null) {
            element.setAttribute(name, value);
        }
    }

    element.append(...children.flat(9).filter((child) => child != null));
    return element;
}

export const h = (tag, attributes, ...children) =>
    fill(document.createElement(tag), attributes, children);

// In place of what an element has; of no child there is nothing.

export function put(element, ...children) {
    element.replaceChildren();
    fill(element, null, children);
}

export const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);

// A name that somebody else chose: its direction does not leave it.

export const name = (text) => h('bdi', null, String(text));

export const quiet = (...text) => h('p', { class: 'quiet' }, text);

// The cells of a row under their columns, which a narrow window has as a list.

export const table = (label, columns, rows) =>
    h('table', { class: 'list', 'aria-label': label },
        h('thead', null, h('tr', null, columns.map((column) =>
            h('th', { scope: 'col', class: column.number && 'number',
                      'aria-sort': column.sort },
            column.href ? h('a', { href: column.href }, column.title,
                { ascending: ' ↑', descending: ' ↓' }[column.sort] ?? '')
                : column.title)))),
        h('tbody', null, rows.map((cells) => h('tr', null,
            cells.map((cell, n) => h('td', {
                class: columns[n].number && 'number',
                'data-label': columns[n].label && `${columns[n].title}: `,
            }, cell))))));

// Regions that scroll can be reached by keyboard.

export const pre = (label, text) =>
    h('pre', { tabindex: '0', role: 'region', 'aria-label': label }, text);

// A line to type something into.

export function form(label, button, submit, attributes, ...more) {
    const input = h('input', { type: 'text', autocomplete: 'off',
                               spellcheck: 'false', ...attributes });

    return h('form', { submit: (event) => {
        event.preventDefault();
        submit(input.value.trim());
    } }, h('label', null, `${label} `, input), more,
    h('button', null, button));
}
