
/*
 * fail-write.so, for LD_PRELOAD: calls that change files fail as the rules in
 * the file named by FAIL_WRITE_RULES say, which is read on every call.  Each
 * line is a rule:
 *
 *     CALL ERRNO OFFSET TEXT
 *
 * CALL is write, open (that may create), rename, mkdir, sync, unlink or
 * chown; TEXT stands in the path of the file, at its end if it ends with "$".
 * A write fails from this offset of the file on, after as many bytes as there
 * is room for, as on a full disk.
 *
 * With these calls nothing fails; ERRNO is any number but 0:
 *
 *     clock    the machine's time, for a TEXT that is "clock", stands still at
 *              this second
 *     ahead    the machine's time, for a TEXT that is "clock", is later by
 *              OFFSET seconds
 *     later    likewise that and the clocks that are never set
 *     idle     no thread takes time of the processor, for a TEXT that is "clock"
 *     busy     likewise all time is that of the processor: looks at the clock
 *              that is never set are OFFSET microseconds apart, then twice that,
 *              three times that, and so on, whatever is done between them
 *     times    no file's modification time is later than this second
 *     hold     the first sync of all processes that a TEXT is for waits until
 *              there are other rules; it makes a file of the rules' name with
 *              ".held" behind it
 *     read     likewise the first read, as of nginx's threads, that begins at
 *              OFFSET or behind it
 *     remote   a file is on the disk of another machine (NFS)
 *     lock     in each process the first OFFSET files whose locks are asked for
 *              are removed before, as by somebody who had the lock
 *
 * Where there is a file of that name with ".log" behind it, each sync, rename,
 * mkdir and unlink that succeeded is noted in it: the call and the path.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>


#ifndef SYS_openat2
#define SYS_openat2  437
#endif


typedef long (*syscall_pt)(long number, ...);


static char  rules_file[4096];
static char  log_file[4096 + 4];


/* at once: nginx clears its environment */

__attribute__((constructor)) static void
keep_rules_file(void)
{
    const char  *file;

    file = getenv("FAIL_WRITE_RULES");
    if (file != NULL) {
        snprintf(rules_file, sizeof(rules_file), "%s", file);
        snprintf(log_file, sizeof(log_file), "%s.log", rules_file);
    }
}


static long
raw(long number, long a, long b, long c, long d, long e, long f)
{
    static syscall_pt  next;

    if (next == NULL) {
        next = (syscall_pt) dlsym(RTLD_NEXT, "syscall");
    }

    return next(number, a, b, c, d, e, f);
}


static int
has(const char *path, const char *text)
{
    size_t  len, n;

    len = strlen(path);
    n = strlen(text);

    return text[n - 1] == '$'
           ? len >= n - 1 && strncmp(path + len - (n - 1), text, n - 1) == 0
           : strstr(path, text) != NULL;
}


/* the rule for a call on a path: its errno or 0, and its offset */

static int
rule(const char *call, const char *path, off_t *offset)
{
    int      fd, error;
    long     from;
    char     rules[1024], name[16], text[256], *line;
    ssize_t  n;

    fd = (int) raw(SYS_openat, AT_FDCWD, (long) rules_file, O_RDONLY, 0, 0,
                   0);
    if (fd == -1) {
        return 0;
    }

    n = raw(SYS_read, fd, (long) rules, sizeof(rules) - 1, 0, 0, 0);
    raw(SYS_close, fd, 0, 0, 0, 0, 0);

    if (n <= 0) {
        return 0;
    }

    rules[n] = '\0';

    for (line = rules; line != NULL && *line; line = strchr(line, '\n')) {
        line += (*line == '\n');

        if (sscanf(line, "%15s %d %ld %255s", name, &error, &from, text) == 4
            && strcmp(name, call) == 0
            && has(path, text))
        {
            *offset = from;
            return error;
        }
    }

    return 0;
}


static void
path_of(int dirfd, const char *name, char *path, size_t size)
{
    char     link[64];
    size_t   len;
    ssize_t  n;

    len = 0;

    if (name == NULL || (name[0] != '/' && dirfd != AT_FDCWD)) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);

        n = readlink(link, path, size - 2);
        len = (n > 0) ? (size_t) n : 0;

        if (name != NULL) {
            path[len++] = '/';
        }
    }

    snprintf(path + len, size - len, "%s", (name != NULL) ? name : "");
}


/* 1, with errno set, if a call that names a file is to fail */

static int
fails(const char *call, int dirfd, const char *name)
{
    int    error;
    char   path[4096];
    off_t  offset;

    error = errno;
    path_of(dirfd, name, path, sizeof(path));
    errno = error;

    error = rule(call, path, &offset);
    if (error == 0) {
        return 0;
    }

    errno = error;
    return 1;
}


/* notes a call that succeeded; returns its result */

static int
noted(int rc, const char *call, int dirfd, const char *name)
{
    int   fd, error, len;
    char  path[4096], line[4200];

    error = errno;

    fd = rc == -1 ? -1
                  : (int) raw(SYS_openat, AT_FDCWD, (long) log_file,
                              O_WRONLY|O_APPEND, 0, 0, 0);

    if (fd != -1) {
        path_of(dirfd, name, path, sizeof(path));
        len = snprintf(line, sizeof(line), "%s %s\n", call, path);

        (void) raw(SYS_write, fd, (long) line, len, 0, 0, 0);
        (void) raw(SYS_close, fd, 0, 0, 0, 0, 0);
    }

    errno = error;

    return rc;
}


/*
 * how many of the bytes can be written, -1 if none; else errno stays: nginx
 * logs calls that failed before it looks at it
 */

static ssize_t
writable(int fd, size_t size, off_t offset)
{
    int    error, before;
    char   path[4096];
    off_t  from;

    if (offset == -1) {
        return (ssize_t) size;                          /* no file */
    }

    before = errno;
    path_of(fd, NULL, path, sizeof(path));

    error = rule("write", path, &from);
    errno = before;

    if (error == 0 || offset + (off_t) size <= from) {
        return (ssize_t) size;
    }

    if (offset >= from) {
        errno = error;
        return -1;
    }

    return (ssize_t) (from - offset);
}


/* of a file opened with O_APPEND the offset is its end */

static off_t
offset_of(int fd)
{
    int          before;
    struct stat  st;

    before = errno;

    if (lseek(fd, 0, SEEK_CUR) == -1) {
        errno = before;
        return -1;
    }

    if ((fcntl(fd, F_GETFL) & O_APPEND) && fstat(fd, &st) == 0) {
        return st.st_size;
    }

    return lseek(fd, 0, SEEK_CUR);
}


ssize_t
write(int fd, const void *buf, size_t size)
{
    ssize_t  n;

    n = writable(fd, size, offset_of(fd));

    return (n == -1) ? -1 : raw(SYS_write, fd, (long) buf, n, 0, 0, 0);
}


ssize_t
pwrite64(int fd, const void *buf, size_t size, off_t offset)
{
    ssize_t  n;

    n = writable(fd, size, offset);

    return (n == -1) ? -1 : raw(SYS_pwrite64, fd, (long) buf, n, offset, 0, 0);
}


ssize_t
pwrite(int fd, const void *buf, size_t size, off_t offset)
{
    return pwrite64(fd, buf, size, offset);
}


/* vectors: the first part alone if a rule holds, a short write */

ssize_t
writev(int fd, const struct iovec *iov, int count)
{
    int     i;
    off_t   offset;
    size_t  size;

    size = 0;

    for (i = 0; i < count; i++) {
        size += iov[i].iov_len;
    }

    offset = offset_of(fd);

    if (writable(fd, size, offset) == (ssize_t) size) {
        return raw(SYS_writev, fd, (long) iov, count, 0, 0, 0);
    }

    for (i = 0; i < count - 1 && iov[i].iov_len == 0; i++) { /* void */ }

    return write(fd, iov[i].iov_base, iov[i].iov_len);
}


ssize_t
pwritev64(int fd, const struct iovec *iov, int count, off_t offset)
{
    int     i;
    size_t  size;

    size = 0;

    for (i = 0; i < count; i++) {
        size += iov[i].iov_len;
    }

    if (writable(fd, size, offset) == (ssize_t) size) {
        return raw(SYS_pwritev, fd, (long) iov, count, offset, 0, 0);
    }

    for (i = 0; i < count - 1 && iov[i].iov_len == 0; i++) { /* void */ }

    return pwrite64(fd, iov[i].iov_base, iov[i].iov_len, offset);
}


ssize_t
pwritev(int fd, const struct iovec *iov, int count, off_t offset)
{
    return pwritev64(fd, iov, count, offset);
}


int
openat64(int dirfd, const char *name, int flags, ...)
{
    int      mode;
    va_list  args;

    va_start(args, flags);
    mode = va_arg(args, int);
    va_end(args);

    if ((flags & O_CREAT) && fails("open", dirfd, name)) {
        return -1;
    }

    return (int) raw(SYS_openat, dirfd, (long) name, flags, mode, 0, 0);
}


int
openat(int dirfd, const char *name, int flags, ...)
{
    int      mode;
    va_list  args;

    va_start(args, flags);
    mode = va_arg(args, int);
    va_end(args);

    return openat64(dirfd, name, flags, mode);
}


int
open64(const char *name, int flags, ...)
{
    int      mode;
    va_list  args;

    va_start(args, flags);
    mode = va_arg(args, int);
    va_end(args);

    return openat64(AT_FDCWD, name, flags, mode);
}


int
open(const char *name, int flags, ...)
{
    int      mode;
    va_list  args;

    va_start(args, flags);
    mode = va_arg(args, int);
    va_end(args);

    return openat64(AT_FDCWD, name, flags, mode);
}


int
fstatfs64(int fd, struct statfs64 *st)
{
    int    rc;
    char   path[4096];
    off_t  offset;

    rc = (int) raw(SYS_fstatfs, fd, (long) st, 0, 0, 0, 0);

    path_of(fd, NULL, path, sizeof(path));

    if (rule("remote", path, &offset)) {
        st->f_type = 0x6969;
    }

    return rc;
}


int
fstatfs(int fd, struct statfs *st)
{
    return fstatfs64(fd, (struct statfs64 *) st);
}


int
renameat2(int from, const char *old, int to, const char *name,
    unsigned flags)
{
    if (fails("rename", to, name)) {
        return -1;
    }

    return noted((int) raw(SYS_renameat2, from, (long) old, to, (long) name,
                           flags, 0),
                 "rename", to, name);
}


int
renameat(int from, const char *old, int to, const char *name)
{
    return renameat2(from, old, to, name, 0);
}


int
rename(const char *old, const char *name)
{
    return renameat2(AT_FDCWD, old, AT_FDCWD, name, 0);
}


int
mkdirat(int dirfd, const char *name, mode_t mode)
{
    if (fails("mkdir", dirfd, name)) {
        return -1;
    }

    return noted((int) raw(SYS_mkdirat, dirfd, (long) name, mode, 0, 0, 0),
                 "mkdir", dirfd, name);
}


int
unlinkat(int dirfd, const char *name, int flags)
{
    if (fails("unlink", dirfd, name)) {
        return -1;
    }

    return noted((int) raw(SYS_unlinkat, dirfd, (long) name, flags, 0, 0, 0),
                 "unlink", dirfd, name);
}


int
fchown(int fd, uid_t uid, gid_t gid)
{
    if (fails("chown", fd, NULL)) {
        return -1;
    }

    return (int) raw(SYS_fchown, fd, (long) uid, (long) gid, 0, 0, 0);
}


static void
hold(const char *call, int fd, off_t offset)
{
    int    held;
    char   path[4096], file[4096 + 5];
    off_t  from;

    path_of(fd, NULL, path, sizeof(path));

    if (!rule(call, path, &from) || offset < from) {
        return;
    }

    snprintf(file, sizeof(file), "%s.held", rules_file);

    held = (int) raw(SYS_openat, AT_FDCWD, (long) file, O_CREAT|O_EXCL, 0600,
                     0, 0);
    if (held == -1) {
        return;
    }

    while (rule(call, path, &from)) {
        usleep(10000);
    }

    raw(SYS_unlinkat, AT_FDCWD, (long) file, 0, 0, 0, 0);
    raw(SYS_close, held, 0, 0, 0, 0, 0);
}


int
fsync(int fd)
{
    hold("hold", fd, 0);

    return fails("sync", fd, NULL)
           ? -1 : noted((int) raw(SYS_fsync, fd, 0, 0, 0, 0, 0), "sync", fd,
                        NULL);
}


ssize_t
pread64(int fd, void *buf, size_t size, off_t offset)
{
    hold("read", fd, offset);

    return raw(SYS_pread64, fd, (long) buf, (long) size, offset, 0, 0);
}


ssize_t
pread(int fd, void *buf, size_t size, off_t offset)
{
    return pread64(fd, buf, size, offset);
}


int
fdatasync(int fd)
{
    return fails("sync", fd, NULL)
           ? -1 : noted((int) raw(SYS_fdatasync, fd, 0, 0, 0, 0, 0), "sync",
                        fd, NULL);
}


int
clock_gettime(clockid_t id, struct timespec *now)
{
    int          rc;
    off_t        offset;
    static long  busy, looks;

    rc = (int) raw(SYS_clock_gettime, id, (long) now, 0, 0, 0, 0);

    if (rc == 0 && id == CLOCK_REALTIME && rule("clock", "clock", &offset)) {
        now->tv_sec = offset;
        now->tv_nsec = 0;
    }

    if (rc == 0 && id == CLOCK_REALTIME && rule("ahead", "clock", &offset)) {
        now->tv_sec += offset;
    }

    if (rc == 0 && rule("later", "clock", &offset)) {
        now->tv_sec += offset;
    }

    if (rc == 0 && id == CLOCK_THREAD_CPUTIME_ID
        && rule("idle", "clock", &offset))
    {
        now->tv_sec = 0;
        now->tv_nsec = 0;
    }

    if (rc == 0 && (id == CLOCK_MONOTONIC || id == CLOCK_THREAD_CPUTIME_ID)
        && rule("busy", "clock", &offset))
    {
        if (looks == 0) {
            busy = now->tv_sec * 1000000;
        }

        if (id == CLOCK_MONOTONIC) {
            busy += offset * ++looks;
        }

        now->tv_sec = busy / 1000000;
        now->tv_nsec = busy % 1000000 * 1000;

    } else if (id == CLOCK_MONOTONIC) {
        looks = 0;
    }

    return rc;
}


int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec  time;

    (void) zone;

    if (clock_gettime(CLOCK_REALTIME, &time) == -1) {
        return -1;
    }

    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;

    return 0;
}


int
futimens(int fd, const struct timespec times[2])
{
    char             path[4096];
    off_t            end;
    struct timespec  set[2];

    memcpy(set, times, sizeof(set));
    path_of(fd, NULL, path, sizeof(path));

    if (rule("times", path, &end) && set[1].tv_nsec != UTIME_OMIT
        && set[1].tv_sec >= end)
    {
        set[1].tv_sec = end;
        set[1].tv_nsec = 0;
    }

    return (int) raw(SYS_utimensat, fd, 0, (long) set, 0, 0, 0);
}


int
fcntl64(int fd, int cmd, ...)
{
    long        arg;
    char        path[4096];
    off_t       most;
    va_list     args;
    static int  removed;

    va_start(args, cmd);
    arg = va_arg(args, long);
    va_end(args);

    if (cmd == F_OFD_SETLK) {
        path_of(fd, NULL, path, sizeof(path));

        if (rule("lock", path, &most) && removed < most) {
            removed++;
            (void) raw(SYS_unlinkat, AT_FDCWD, (long) path, 0, 0, 0, 0);
        }
    }

    return (int) raw(SYS_fcntl, fd, cmd, arg, 0, 0, 0);
}


int
fcntl(int fd, int cmd, ...)
{
    long     arg;
    va_list  args;

    va_start(args, cmd);
    arg = va_arg(args, long);
    va_end(args);

    return fcntl64(fd, cmd, arg);
}


/* what libc has no function for */

long
syscall(long number, ...)
{
    int                 i;
    long                a[6];
    va_list             args;
    unsigned long long  flags;

    va_start(args, number);

    for (i = 0; i < 6; i++) {
        a[i] = va_arg(args, long);
    }

    va_end(args);

    if (number == SYS_renameat2) {
        return renameat2((int) a[0], (char *) a[1], (int) a[2],
                         (char *) a[3], (unsigned) a[4]);
    }

    if (number == SYS_openat2) {
        flags = *(unsigned long long *) a[2];

        if ((flags & O_CREAT) && fails("open", (int) a[0], (char *) a[1])) {
            return -1;
        }
    }

    return raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
