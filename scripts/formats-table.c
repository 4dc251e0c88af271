
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Prints the tables of docs/formats.md: what each format takes of each kind of
 * content, and how many of them a request may have, from the rows of the
 * formats and APIs themselves (make docs-table).
 */


#include <stdio.h>

#include "core/api/art_api.h"


#define MEGABYTE  1048576.0


static void
print_types(const art_part_t *part)
{
    size_t       n, type;
    const char  *p, *end;

    for (p = part->types; *p != '\0'; p = end + (*end == ' ')) {
        end = p + strcspn(p, " ");
        n = (size_t) (*p == '?');
        type = strcspn(p, " =");

        printf("%s`%.*s`", p == part->types ? "" : ", ", (int) (type - n),
               p + n);

        if (p[type] == '=') {
            printf(" as `%.*s`", (int) (end - p - (long) type - 1),
                   p + type + 1);
        }

        if (n > 0) {
            printf(" (if asked for)");
        }
    }
}


static void
print_part(const art_format_t *format, art_kind_t kind)
{
    const art_part_t  *part;

    part = &format->parts[kind];

    printf("| `%s` | %s | ", format->name, art_kind_name(kind));

    if (part->template == NULL) {
        printf("none | |\n");
        return;
    }

    if (strcmp(part->types, "*") == 0) {
        printf("all");

    } else {
        print_types(part);
    }

    printf(" |");

    if (part->max != 0) {
        printf(" %g MB%s", (double) part->max / MEGABYTE,
               (part->flags & ART_PART_ENCODED) ? " of base64" : "");
    }

    if (kind == ART_KIND_IMAGE && format->max_side != 0) {
        printf("%s %u pixels a side", part->max != 0 ? "," : "",
               format->max_side);
    }

    printf(" |\n");
}


static void
print_request(const art_api_t *api)
{
    unsigned                  i, kind;
    const art_api_count_t    *count;
    const art_api_request_t  *request;

    request = &api->request;

    if (request->counts[0].kinds == 0 && request->many_side == 0) {
        return;
    }

    printf("| `%s` |", api->name);

    for (i = 0; i < ART_API_COUNTS && request->counts[i].kinds != 0; i++) {
        count = &request->counts[i];

        printf("%s %u", i > 0 ? "," : "", count->max);

        for (kind = 0; kind < ART_KIND_MAX; kind++) {
            if (count->kinds & ART_KIND_BIT(kind)) {
                printf(" %ss", art_kind_name((art_kind_t) kind));
            }
        }

        printf("%s", count->message ? " a message" : "");
    }

    if (request->many_side != 0) {
        printf("; more than %u images: %u pixels a side", request->many,
               request->many_side);
    }

    printf(" |\n");
}


int
main(void)
{
    unsigned             i, kind;
    const art_api_t     *api;
    const art_format_t  *format;

    printf("| format | kind | media types | limit |\n"
           "| --- | --- | --- | --- |\n");

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        if (format->text_max != 0) {
            printf("| `%s` | text | all, as text | %llu characters |\n",
                   format->name, (unsigned long long) format->text_max);
        }

        if (format->parts[ART_KIND_TEXT].template != NULL) {
            print_part(format, ART_KIND_TEXT);
        }

        for (kind = ART_KIND_IMAGE; kind < ART_KIND_MAX; kind++) {
            print_part(format, (art_kind_t) kind);
        }
    }

    printf("\n| requests of | have at most |\n| --- | --- |\n");

    for (i = 0; (api = art_api_request_row(i)) != NULL; i++) {
        print_request(api);
    }

    return fflush(stdout) == 0 ? 0 : 1;
}
