
/*
 * no-openat2 ENOSYS|EPERM command [argument ...]
 * no-openat2 --probe
 *
 * Runs the command with a seccomp filter under which openat2(2) fails with
 * the given error, as it does on a kernel before 5.6 or in a sandbox that
 * does not know it.  --probe calls openat2 and exits with its errno.
 *
 * The filter is plain BPF over struct seccomp_data, see seccomp(2).
 */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>


static int
probe(void)
{
    long             rc;
    struct open_how  how;

    memset(&how, 0, sizeof(struct open_how));
    how.flags = O_RDONLY;

    rc = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(struct open_how));

    return (rc == -1) ? errno : 0;
}


static int
install(unsigned int error)
{
    struct sock_filter  rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog  program = {
        .len = sizeof(rules) / sizeof(rules[0]),
        .filter = rules,
    };

    /* without it only root may install a filter */

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1) {
        return -1;
    }

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}


int
main(int argc, char **argv)
{
    unsigned int  error;

    if (argc == 2 && strcmp(argv[1], "--probe") == 0) {
        return probe();
    }

    if (argc < 3) {
        fprintf(stderr, "usage: %s ENOSYS|EPERM command ...\n", argv[0]);
        return 2;
    }

    error = (strcmp(argv[1], "EPERM") == 0) ? EPERM : ENOSYS;

    if (install(error) == -1) {
        perror("seccomp");
        return 2;
    }

    execvp(argv[2], &argv[2]);
    perror(argv[2]);

    return 127;
}
