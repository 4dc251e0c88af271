// What the clients of the Files APIs have in common, by the names of OpenAI's.

const options = { apiKey: 'k', maxRetries: 0, timeout: 120_000 };


async function openaiOf(base) {
    const sdk = await import('openai');
    const { files } = new sdk.OpenAI({ ...options, baseURL: `${base}/v1` });

    return {
        toFile: sdk.toFile, errors: sdk,
        files: {
            list: (query) => files.list(query),
            retrieve: (id) => files.retrieve(id),
            content: (id) => files.content(id),
            delete: (id) => files.delete(id),
            wait: (id) => files.waitForProcessing(id),
        },
        upload: async (file, more) => {
            const raw = await files.create({ file, purpose: 'user_data',
                                             ...more });

            return {
                raw, id: raw.id, filename: raw.filename, size: raw.bytes,
                created: raw.created_at * 1000,
                expires: raw.expires_at ? raw.expires_at * 1000 : null,
            };
        },
    };
}


async function anthropicOf(api, base) {
    const sdk = await import(api);
    const client = new sdk.default({ ...options, baseURL: base });
    const files = client.files ?? client.beta.files;

    return {
        toFile: sdk.toFile, errors: sdk,
        files: {
            list: (query) => files.list(query),
            retrieve: (id) => files.retrieveMetadata(id),
            content: (id) => files.download(id),
            delete: (id) => files.delete(id),
        },
        upload: async (file, more) => {
            const raw = await files.upload({ file, ...more });

            return {
                raw, id: raw.id, filename: raw.filename, size: raw.size_bytes,
                created: Date.parse(raw.created_at),
                expires: raw.expires_at ? Date.parse(raw.expires_at) : null,
            };
        },
    };
}


export function filesOf(api, base) {
    return api === 'openai' ? openaiOf(base) : anthropicOf(api, base);
}
