
/*
 * long-name.so, for LD_PRELOAD: each folder has a name of 1000 bytes at its end,
 * as a file system in user space may have (FUSE_NAME_MAX is 1024).
 */

#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>


#define LONG_NAME  1000


typedef struct dirent64 *(*readdir64_pt)(DIR *dir);


struct dirent64 *
readdir64(DIR *dir)
{
    char                      *name;
    struct dirent64           *entry;
    static DIR                *ended;
    static readdir64_pt        next;
    static union {
        struct dirent64        entry;
        char                   room[sizeof(struct dirent64) + LONG_NAME];
    } last;

    if (next == NULL) {
        next = (readdir64_pt) dlsym(RTLD_NEXT, "readdir64");
    }

    entry = next(dir);

    if (entry != NULL || dir == ended) {
        ended = NULL;
        return entry;
    }

    ended = dir;

    name = last.room + offsetof(struct dirent64, d_name);
    memset(name, 'l', LONG_NAME);
    name[LONG_NAME] = '\0';
    last.entry.d_type = DT_REG;

    return &last.entry;
}
