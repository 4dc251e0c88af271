
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Any JSON, of which nothing is known but that its strings may be stand-ins
 * (docs/standins.md).
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


static const art_format_t  art_any_format = {
    .name = "any",
    .text = "\"%B\""
};

static const art_message_rule_t  art_any_rules[] = {
    END
};

static const art_message_form_t  art_any_forms[] = {
    END_FORM
};


const art_api_t  art_api_any = {
    .name = "any",
    .request = {
        .rules = art_any_rules,
        .forms = art_any_forms,
        .format = &art_any_format
    }
};
