// Words in two languages, and numbers as the language writes them.

const WORDS = {
    title: ['Artifact inspector', '工件检查'],
    skip: ['Skip to content', '跳到内容'],
    views: ['Views', '视图'],
    artifacts: ['Artifacts', '工件'],
    workspaces: ['Workspaces', '工作区'],
    services: ['Models', '模型'],
    requests: ['Requests', '请求'],
    status: ['Counters', '计数'],
    loading: ['Loading …', '正在读取……'],
    empty: ['Nothing here.', '这里没有内容。'],
    name: ['Name', '名称'],
    id: ['Id', '标识'],
    type: ['Type', '类型'],
    size: ['Size', '大小'],
    changed: ['Changed', '更新时间'],
    first: ['First page', '第一页'],
    next: ['Next page', '下一页'],
    expires: ['Expires {0}', '过期时间 {0}'],
    writes: ['Changes', '修改记录'],
    newest: ['Newest first', '最新的在前'],
    older: ['Older', '更早的'],
    time: ['Time', '时间'],
    httpstatus: ['Status', '状态'],
    what: ['Interface', '接口'],
    who: ['Model, tenant', '模型、租户'],
    became: ['What became of it', '处理结果'],
    wholly: ['the request', '整个请求'],
    more: ['and {0} more', '另有 {0} 项'],
    norequests: ['No such request among the last 1,000.',
                 '最近 1,000 个请求中没有符合条件的。'],
    nomap: ['in no map', '不在任何映射中'],
    byref: ['Reference', '引用'],
    bymodelname: ['Model', '模型'],
    byservice: ['Service', '服务'],
    bytenant: ['Tenant', '租户'],
    byrequest: ['Request id', '请求标识'],
    reason: ['Reason', '原因'],
    age: ['Not older than', '时间范围'],
    minutes: ['{0} minutes', '{0} 分钟'],
    any: ['any', '不限'],
    all: ['All', '全部'],
    why: ['Why models got words, and what failed', '降级与失败的原因'],
    rate: ['Rate', '速率'],
    persecond: ['{0}/s', '每秒 {0}'],
    perminute: ['{0}/min', '每分钟 {0}'],
    noreasons: ['Nothing was degraded or failed.', '没有降级或失败。'],
    reference: ['Name or reference', '名称或引用'],
    behind: ['Start after', '起始于其后'],
    go: ['Go', '转到'],
    unreachable: ['The server does not answer.', '服务器没有应答。'],
    refused: ['Not for this visitor', '当前访问者无权查看'],
    unreadable: ['Unreadable: {0}', '无法读取：{0}'],
    missing: ['No location answers {0}, the directive to set there is {1}',
              '没有 location 应答 {0}，应在其中设置的指令是 {1}'],
    unlisted: ['Nothing is listed at {0}, the directive to set there is {1}',
               '{0} 不提供列表，应在其中设置的指令是 {1}'],
    nothing: ['Not found', '未找到'],
    failed: ['The server refuses', '服务器拒绝'],
    metadata: ['Metadata', '元数据'],
    preview: ['Preview', '预览'],
    nopreview: ['No preview of this type.', '此类型没有预览。'],
    badimage: ['The browser cannot show this image.', '浏览器无法显示此图片。'],
    load: ['Load {0}', '加载 {0}'],
    read: ['Read the beginning', '读取开头'],
    cut: ['The first 64 KB.', '开头的 64 KB。'],
    contradiction: ['Declared as {0}, but the content is {1}.',
                    '声明为 {0}，但内容是 {1}。'],
    raw: ['Raw bytes', '原始字节'],
    download: ['Download', '下载'],
    gets: ['What models get', '模型得到的内容'],
    format: ['Format', '格式'],
    model: ['Model', '模型'],
    bytes: ['bytes', '字节'],
    long: ['large', '很大'],
    words: ['Words', '文字'],
    hint: ['Routing and reason are those of the format “route”; what a '
           + 'provider’s format takes may be less, as its part shows.',
           '路由与原因取自 route 格式；提供方的格式可能接受得更少，以其部分为准。'],
    unrouted: ['This location does not route for the chosen model. The '
               + 'directive to set there is artifact_route on.',
               '此位置没有为所选模型路由。应在其中设置的指令：artifact_route on。'],
    converted: ['converted, {0} → {1}', '已转换，{0} → {1}'],
    other: ['This location chooses the format itself.', '此位置自行决定格式。'],
    nomodels: ['No model is chosen: add one by its name.',
               '尚未选择模型：请按名称添加。'],
    modelname: ['Model’s name', '模型名称'],
    add: ['Add', '添加'],
    find: ['Look up', '查找'],
    unknown: ['{0} is in no map: an unknown service gets text only.',
              '{0} 不在任何映射中：未知服务只得到文本。'],
    row: ['Row', '条目'],
    map: ['Map', '映射'],
    how: ['Found by', '查找方式'],
    own: ['own', '自有'],
    bare: ['LiteLLM or own', 'LiteLLM 或自有'],
    byid: ['its id', '标识'],
    bymodel: ['its model’s name', '模型名称'],
    bypart: ['a part or another spelling of its name', '名称的一部分或另一写法'],
    most: ['The capabilities are not those of this row, but those that most '
           + 'rows of this name have.', '能力不取自此条目，而取自同名条目的多数。'],
    choose: ['Choose {0}', '选择 {0}'],
    remove: ['Remove {0}', '移除 {0}'],
    chosen: ['Chosen models', '已选模型'],
    capability: ['Capability', '能力'],
    input: ['Reads', '输入'],
    output: ['Writes', '输出'],
    filter: ['Filter', '筛选'],
    again: ['Refresh every 5 seconds', '每 5 秒刷新'],
    history: ['Last changes', '最近变化'],
    total: ['Total', '合计'],
    of: ['of {0}: {1}', '共 {0}：{1}'],
    count: ['Total: {0}', '共 {0} 项'],
    atleast: ['At least {0}', '至少 {0} 项'],
    countall: ['Count all', '全部计数'],
};

const KEY = 'artifact-inspector-language';

let language = remembered()
    ?? (navigator.languages.some((tag) => tag.startsWith('zh')) ? 'zh' : 'en');

// storage may be forbidden

function remembered() {
    try {
        const value = localStorage.getItem(KEY);
        return value === 'zh' || value === 'en' ? value : null;

    } catch {
        return null;
    }
}

export const current = () => language;

export function change() {
    language = language === 'zh' ? 'en' : 'zh';

    try {
        localStorage.setItem(KEY, language);

    } catch {
        // until the page is loaded again
    }
}

export const t = (word, ...values) =>
    WORDS[word][language === 'zh' ? 1 : 0]
        .replace(/\{(\d)\}/g, (all, n) => values[n]);

export const number = (value) => new Intl.NumberFormat(language).format(value);

export const percent = (value) => new Intl.NumberFormat(language,
    { style: 'percent', maximumFractionDigits: 1 }).format(value);

export function size(value) {
    const units = ['B', 'KB', 'MB', 'GB'];
    let unit = 0;

    while (value >= 1024 && unit < 3) {
        value /= 1024;
        unit++;
    }

    return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

export function time(value) {
    const date = new Date(value);

    return isNaN(date) ? String(value ?? '') : new Intl.DateTimeFormat(language,
        { dateStyle: 'medium', timeStyle: 'medium' }).format(date);
}
