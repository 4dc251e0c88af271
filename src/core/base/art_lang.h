
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The languages of texts for people.
 */


#ifndef ART_LANG_H_INCLUDED_
#define ART_LANG_H_INCLUDED_


typedef enum {
    ART_LANG_ZH = 0,
    ART_LANG_EN,
    ART_LANG_MAX
} art_lang_t;


#endif /* ART_LANG_H_INCLUDED_ */
