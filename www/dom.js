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

export const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);

// A name that somebody else chose: its direction does not leave it.

export const name = (text) => h('bdi', null, String(text));

export const quiet = (...text) => h('p', { class: 'quiet' }, text);

// Regions that scroll can be reached by keyboard.

export const table = (label, columns, rows) =>
    h('div', { class: 'scroll', role: 'region', tabindex: '0',
               'aria-label': label },
        h('table', null,
            h('thead', null, h('tr', null, columns.map((column) =>
                h('th', { scope: 'col', class: column.number && 'number' },
                    column.title)))),
            h('tbody', null, rows)));

export const pre = (label, text) =>
    h('pre', { tabindex: '0', role: 'region', 'aria-label': label }, text);
