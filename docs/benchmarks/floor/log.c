/*
 * What a log can cost at least: messages of 64 KiB one way between two processes, over a relay that does nothing but
 * pass them on and keep them (ADR 66). Usage: log KEEPS LAYOUT FILE
 *
 * KEEPS   nothing
 *         mapped    a copy in a mapped file of 1 GiB that is in memory before the first message, round and round
 *         straight  received into such a mapping, and sent from there: no copy
 *         again     written to such a file by pwrite
 *         new       written to the end of a new file by pwrite
 * LAYOUT  together  everything on processor 0
 *         apart     the relay on processor 1
 *         split     the relay and the receiver on processor 1
 *
 * Prints the time of a message in microseconds. No checksum, no index, no thread that readies pages.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 1 << 16, MESSAGES = 40000 };

static const long ROUND = 1L << 30;

static void require(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    require(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

static double micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static char *buffer(size_t bytes) {
    char *made = aligned_alloc(4096, bytes);
    require(made != NULL, "memory");
    return memset(made, 7, bytes);
}

static void put(int to, const char *from, size_t bytes) {
    for (ssize_t n; bytes > 0; from += n, bytes -= n) {
        require((n = write(to, from, bytes)) > 0, "write");
    }
}

static void get(int from, char *to, size_t bytes) {
    for (ssize_t n; bytes > 0; to += n, bytes -= n) {
        require((n = read(from, to, bytes)) > 0, "read");
    }
}

/** A socket to each side, with room for 1 MiB, as a rank's has. */
static void pair(int ends[2]) {
    int bytes = 1 << 20;
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    for (int i = 0; i < 2; i++) {
        setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    }
}

static int child(int processor) {
    pid_t pid = fork();
    require(pid >= 0, "fork");
    if (pid == 0) {
        pin(processor);
    }
    return pid == 0;
}

int main(int count, char **words) {
    require(count == 4, "usage: log nothing|mapped|straight|again|new together|apart|split FILE");
    int straight = strcmp(words[1], "straight") == 0, mapped = straight || strcmp(words[1], "mapped") == 0;
    int again = strcmp(words[1], "again") == 0, new = strcmp(words[1], "new") == 0;
    int relay = strcmp(words[2], "together") != 0, receiver = strcmp(words[2], "split") == 0;
    int file = -1, out[2], in[2];
    if (mapped || again || new) {
        require((file = open(words[3], O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0, words[3]);
    }
    static char zeros[1 << 20];
    for (long at = 0; (mapped || again) && at < ROUND; at += 1 << 20) {
        require(pwrite(file, zeros, 1 << 20, at) == 1 << 20, "pwrite");
    }
    char *map = NULL;
    if (mapped) {
        map = mmap(NULL, ROUND, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
        require(map != MAP_FAILED, "mmap");
        for (long at = 0; at < ROUND; at += 4096) { // The first write to a page of a file is a fault, however ready it is.
            map[at] = 1;
        }
    }
    pair(out);
    pair(in);
    if (child(0)) {
        char *message = buffer(MESSAGE);
        for (int i = 0; i < MESSAGES; i++) {
            put(out[0], message, MESSAGE);
        }
        exit(0);
    }
    if (child(relay)) {
        char *message = buffer(MESSAGE);
        for (long i = 0, at = 0; i < MESSAGES; i++, at = new ? at + MESSAGE : (at + MESSAGE) % ROUND) {
            message = straight ? map + at : message;
            get(out[1], message, MESSAGE);
            if (mapped && !straight) {
                memcpy(map + at, message, MESSAGE);
            } else if (file >= 0) {
                require(pwrite(file, message, MESSAGE, at) == MESSAGE, "pwrite");
            }
            put(in[1], message, MESSAGE);
        }
        exit(0);
    }
    pin(receiver);
    char *message = buffer(MESSAGE);
    double start = micros();
    for (int i = 0; i < MESSAGES; i++) {
        get(in[0], message, MESSAGE);
    }
    printf("%.1f\n", (micros() - start) / MESSAGES);
    while (wait(NULL) > 0) {
    }
    return 0;
}
