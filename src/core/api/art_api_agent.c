
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Agents: a stream of events with text, a result and the items that were
 * declared (docs/offload.md).
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


static const art_extract_rule_t  art_agent_stream[] = {
    TEXT_SAYS(ROOT, "type", TYPE),
    TEXT_SAYS(ROOT, "text", TEXT),
    TEXT_SAYS(ROOT, "result", RESULT),
    TEXT_END
};

static const art_extract_rule_t  art_agent_json[] = {
    TEXT_SAYS(ROOT, "result", TEXT),
    TEXT_END
};


const art_api_t  art_api_agent = {
    .name = "agent",
    .flags = ART_API_AGENT,
    .text = { art_agent_stream, art_agent_json }
};
