
/*
 * move-late.so, for LD_PRELOAD: right after somebody has found no sidecar, an
 * artifact is moved.
 *
 * MOVE_LATE is "FOLDER PLACE CONTENT SIDECAR MISSED": when MISSED beneath some
 * folder does not exist, the first time, SIDECAR, if there is one, and CONTENT of
 * FOLDER get names in FOLDER/PLACE and lose their own, in the order of
 * scripts/layout.pl.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>


static int   armed;
static char  folder[1024], place[64], content[256], sidecar[256];
static char  missed[512];


/* at once: nginx clears its environment */

__attribute__((constructor)) static void
keep(void)
{
    const char  *text;

    text = getenv("MOVE_LATE");

    armed = text != NULL
            && sscanf(text, "%1023s %63s %255s %255s %511s", folder, place,
                      content, sidecar, missed) == 5;
}


static void
move(void)
{
    size_t       i;
    char         old[2048], new[2048];
    const char  *names[2] = { sidecar, content };

    armed = 0;

    snprintf(new, sizeof(new), "%s/%s", folder, place);

    if (mkdir(new, 0755) != 0 && errno != EEXIST) {
        abort();
    }

    for (i = 0; i < 2; i++) {
        snprintf(old, sizeof(old), "%s/%s", folder, names[i]);
        snprintf(new, sizeof(new), "%s/%s/%s", folder, place, names[i]);

        if (link(old, new) != 0 && (names[i] == content || errno != ENOENT)) {
            abort();
        }
    }

    for (i = 2; i > 0; i--) {
        snprintf(old, sizeof(old), "%s/%s", folder, names[i - 1]);

        if (unlink(old) != 0 && (i == 2 || errno != ENOENT)) {
            abort();
        }
    }
}


static int
looked(const char *path, int rc)
{
    int  err;

    err = errno;

    if (armed && rc == -1 && err == ENOENT && strcmp(path, missed) == 0) {
        move();
    }

    errno = err;

    return rc;
}


int
fstatat(int fd, const char *path, struct stat *info, int flags)
{
    static int  (*next)(int, const char *, struct stat *, int);

    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "fstatat");
    }

    return looked(path, next(fd, path, info, flags));
}


int
fstatat64(int fd, const char *path, struct stat64 *info, int flags)
{
    static int  (*next)(int, const char *, struct stat64 *, int);

    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "fstatat64");
    }

    return looked(path, next(fd, path, info, flags));
}
