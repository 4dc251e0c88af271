
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What an agent declares: the elements of its block that are artifacts.
 */


#ifndef ART_ITEMS_H_INCLUDED_
#define ART_ITEMS_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes the items of an array of JSON as an array, each as it stands there,
 * with spaces for line breaks between its tokens; returns their number.  An
 * item is an object of "type"
 *
 *     image    url; title, width, height
 *     text     content; format (plain, markdown, code)
 *     table    headers (strings), rows (arrays of strings); title
 *     file     name, path; mimeType
 *
 * What stands behind the semicolon may be left out; width and height are
 * numbers, all else strings.  Whatever else an item has stays.  What is no item
 * is left out.  "array" is valid (art_json_scan.h).  Linear.
 */

size_t art_items_print(art_out_t *out, art_str_t array);


/* Writes URLs, each with a line feed behind it, as items of images. */

size_t art_items_print_urls(art_out_t *out, art_str_t urls);


#endif /* ART_ITEMS_H_INCLUDED_ */
