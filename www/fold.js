// A JSON text of any length, as it comes, with the long strings in it folded:
// what is kept of a string is its beginning, of all at most LIMIT.

const KEEP = 300;
const LIMIT = 1 << 20;

export class Folder {
    #out = [];
    #length = 0;
    #inside = false;
    #kept = '';
    #dropped = 0;

    // an escape that is not complete yet

    #rest = '';

    push(piece) {
        const text = this.#rest + piece;
        const stop = /["\\]/g;
        let at = 0;

        this.#rest = '';

        while (at < text.length) {
            stop.lastIndex = at;
            const found = stop.exec(text)?.index ?? text.length;

            this.#take(text.slice(at, found), true);
            at = found;

            if (text[at] === '"') {
                this.#quote();
                at++;

            } else if (at < text.length) {
                const size = text[at + 1] === 'u' ? 6 : 2;

                if (at + size > text.length) {
                    this.#rest = text.slice(at);
                    return;
                }

                this.#take(text.slice(at, at + size), false);
                at += size;
            }
        }
    }

    #quote() {
        if (this.#inside) {
            this.#write(this.#dropped
                ? `${this.#kept} …(+${this.#dropped})"` : `${this.#kept}"`);
            this.#kept = '';
            this.#dropped = 0;

        } else {
            this.#write('"');
        }

        this.#inside = !this.#inside;
    }

    #take(text, divisible) {
        if (!this.#inside) {
            this.#write(text);
            return;
        }

        const room = this.#dropped ? 0 : KEEP - this.#kept.length;
        const kept = text.length <= room ? text
            : divisible && room > 0 ? text.slice(0, room) : '';

        this.#kept += kept;
        this.#dropped += text.length - kept.length;
    }

    #write(text) {
        if (this.#length <= LIMIT) {
            this.#out.push(text);
        }

        this.#length += text.length;
    }

    // The value, or undefined: what came is no JSON, or too much of it.

    value() {
        if (this.#length > LIMIT) {
            return undefined;
        }

        try {
            return JSON.parse(this.#out.join(''));

        } catch {
            return undefined;
        }
    }

    text() {
        return this.#out.join('') + (this.#length > LIMIT ? ' …' : '');
    }
}
