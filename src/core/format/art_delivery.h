
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How media get to a model's API: in base64, or by a URL that the provider
 * fetches.
 */


#ifndef ART_DELIVERY_H_INCLUDED_
#define ART_DELIVERY_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/api/art_api_format.h"


typedef enum {
    ART_DELIVERY_INLINE = 0,
    ART_DELIVERY_URL,
    ART_DELIVERY_MAX
} art_delivery_t;

extern const char *const  art_delivery_names[ART_DELIVERY_MAX];


/* What a name stands for, an empty one for ART_DELIVERY_INLINE. */

art_delivery_t art_delivery_find(art_str_t name);


/*
 * Whether the provider behind a format fetches anything for a model with these
 * names, some of which may be empty: one of them has to tell that it is of
 * format->url_since, and none that it is one of Anthropic's at Bedrock, which
 * have "anthropic." behind a region or any other prefix
 * (docs.aws.amazon.com/bedrock, "Supported foundation models").
 */

int art_delivery_fetches(const art_format_t *format, const art_str_t *names,
    unsigned n);


/*
 * Whether a model is one of these, by its name: "gemini-2.5-flash" is, with any
 * prefix, if the family is "gemini-" and the version at most 2.5.  A name
 * without a version is not.
 */

int art_model_is_since(art_str_t model, const art_since_t *since);


#endif /* ART_DELIVERY_H_INCLUDED_ */
