
/*
 * fail-open.so, for LD_PRELOAD: opening fails as where other machines change
 * and keep the files.  By a word in the name of the file:
 *
 *   replaced-   gone when it is opened, though its name was found, every other
 *               time; not with O_PATH, which opens nothing
 *   stale-      ESTALE, every other time
 *   dropped-    it can be opened, and not be asked for (fstat), every other
 *               time
 *   lost-       the storage cannot be reached: ENOTCONN
 *   many-       there are no more descriptors: EMFILE
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>


typedef long (*syscall_pt)(long number, ...);
typedef int (*fstat_pt)(int fd, struct stat *info);


static int
every_other(int *count)
{
    return (*count)++ % 2 == 0;
}


static int
fails(const char *name, const struct open_how *how)
{
    static int  replaced, stale;

    if (strstr(name, "lost-")) {
        return ENOTCONN;
    }

    if (strstr(name, "many-")) {
        return EMFILE;
    }

    if (strstr(name, "stale-") && every_other(&stale)) {
        return ESTALE;
    }

    if (strstr(name, "replaced-") && !(how->flags & (O_PATH|O_DIRECTORY))
        && every_other(&replaced))
    {
        return ENOENT;
    }

    return 0;
}


long
syscall(long number, ...)
{
    int                i;
    long               a[6];
    va_list            args;
    static syscall_pt  next;

    if (next == NULL) {
        next = (syscall_pt) dlsym(RTLD_NEXT, "syscall");
    }

    va_start(args, number);

    for (i = 0; i < 6; i++) {
        a[i] = va_arg(args, long);
    }

    va_end(args);

    if (number == SYS_openat2) {
        errno = fails((const char *) a[1], (const struct open_how *) a[2]);

        if (errno) {
            return -1;
        }
    }

    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}


int
fstat(int fd, struct stat *info)
{
    char             path[64], name[4096];
    ssize_t          n;
    static int       dropped;
    static fstat_pt  next;

    if (next == NULL) {
        next = (fstat_pt) dlsym(RTLD_NEXT, "fstat");
    }

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

    n = readlink(path, name, sizeof(name) - 1);
    name[n == -1 ? 0 : n] = '\0';

    if (strstr(name, "dropped-") && every_other(&dropped)) {
        errno = ESTALE;
        return -1;
    }

    return next(fd, info);
}


int
fstat64(int fd, struct stat64 *info)
{
    return fstat(fd, (struct stat *) info);
}
