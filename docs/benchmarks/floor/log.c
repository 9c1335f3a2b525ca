/*
 * What a log can cost at least: messages of 64 KiB one way between two processes, over a relay that does nothing but
 * pass them on and keep them (docs/performance.md). Usage: log KEEPS LAYOUT FILE
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
#include "floor.h"
#include <fcntl.h>
#include <sys/mman.h>

enum { MESSAGE = 1 << 16, MESSAGES = 40000 };

static const long ROUND = 1L << 30;

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
