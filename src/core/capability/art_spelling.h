
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Spellings of models' names: "OpenAI:GPT-4o" is "openai/gpt-4o", and
 * "x-ai/grok-4.1" is "xai/grok-4-1".
 */


#ifndef ART_SPELLING_H_INCLUDED_
#define ART_SPELLING_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_MODEL_NAME_MAX  255      /* bytes; longer names are not reduced */


/*
 * Writes a name as all of its spellings are written, never longer than it is,
 * and returns that; empty for a name that is longer than ART_MODEL_NAME_MAX.
 *
 *     letters are lower-case
 *     a dot between digits, and an "@" before one, are dashes
 *     a provider before a slash has one name of those that it goes by
 *     the colon behind a known provider is a slash
 *
 * Providers are those of PydanticAI (providers of "provider:model"), LangChain
 * (init_chat_model()), LiteLLM (litellm_provider), models.dev and OpenRouter.
 */

art_str_t art_spelling(art_str_t name, uint8_t buf[ART_MODEL_NAME_MAX]);


/*
 * Whether a provider, spelled as above, makes models, rather than only sells
 * what others make.
 */

int art_spelling_is_maker(art_str_t provider);


#endif /* ART_SPELLING_H_INCLUDED_ */
