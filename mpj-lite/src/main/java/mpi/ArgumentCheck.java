package mpi;

import java.nio.Buffer;
import java.util.regex.Pattern;
import org.posthouse.wire.Wire;

/**
 * The checks of one communicator's calls, made before anything is sent. Each names the call, the calling rank, and
 * actual against expected. Immutable but for the name.
 */
final class ArgumentCheck {
    /** A name of so many calls that only the last of them are told. */
    private static final Pattern LONG = Pattern.compile("^((?:.*? of ){3}).* of .*", Pattern.DOTALL);

    private final int rank;
    private final int size;
    /** Ranks that calls may name. */
    private final int ranks;

    /** Written by the program's thread that names the communicator, read by any. */
    private volatile String name;

    /**
     * @param group the calling process's
     * @param addressed the group whose ranks the calls name
     */
    ArgumentCheck(String name, Group group, Group addressed) {
        this(name, group.Rank(), group.Size(), addressed.Size());
    }

    private ArgumentCheck(String name, int rank, int size, int ranks) {
        this.name = name;
        this.rank = rank;
        this.size = size;
        this.ranks = ranks;
    }

    /** The checks of calls with a block for each of so many ranks, where they are not all that the calls may name. */
    ArgumentCheck among(int blocks) {
        return new ArgumentCheck(name, rank, size, blocks);
    }

    /** Name of the communicator, for messages to people. */
    String name() {
        return name;
    }

    /** Name of what a call makes of the thing with this name: bounded, however long the line of such calls is. */
    static String made(String call, String of) {
        return call + " of " + LONG.matcher(of).replaceFirst("$1...");
    }

    void name(String newName) {
        name = newName;
    }

    MPIException error(int errorClass, String call, String what) {
        return error(errorClass, call, what, null);
    }

    MPIException error(int errorClass, String call, String what, Throwable cause) {
        String where = " at rank " + rank + " of " + size + " in " + name + ": ";
        return new MPIException(errorClass, call + where + what, cause);
    }

    void destination(String call, int rank) {
        if ((rank < 0 || rank >= ranks) && rank != MPI.PROC_NULL) {
            throw error(
                    MPI.ERR_RANK,
                    call,
                    "destination is " + rank + ", expected 0 to " + (ranks - 1) + " or PROC_NULL");
        }
    }

    void source(String call, int rank) {
        if ((rank < 0 || rank >= ranks) && rank != MPI.ANY_SOURCE && rank != MPI.PROC_NULL) {
            throw error(
                    MPI.ERR_RANK,
                    call,
                    "source is " + rank + ", expected 0 to " + (ranks - 1) + ", ANY_SOURCE or PROC_NULL");
        }
    }

    void remoteLeader(String call, int rank) {
        if (rank < 0 || rank >= ranks) {
            throw error(MPI.ERR_RANK, call, "remote leader is " + rank + ", expected 0 to " + (ranks - 1));
        }
    }

    void root(String call, int rank) {
        if (rank < 0 || rank >= ranks) {
            throw error(MPI.ERR_ROOT, call, "root is " + rank + ", expected 0 to " + (ranks - 1));
        }
    }

    void sendTag(String call, int tag) {
        tag(call, tag, "0 or more");
    }

    void receiveTag(String call, int tag) {
        if (tag != MPI.ANY_TAG) {
            tag(call, tag, "0 or more, or ANY_TAG");
        }
    }

    /** MpiJava's calls take negative tags, since MPJ Express does, and programs use them. */
    private void tag(String call, int tag, String expected) {
        boolean mpiJava = Character.isUpperCase(call.charAt(0));
        if (mpiJava ? tag == Wire.SENT_WITH_ANY_TAG : tag < 0) {
            String what = mpiJava ? "another: this one is reserved" : expected;
            throw error(MPI.ERR_TAG, call, "tag is " + tag + ", expected " + what);
        }
    }

    void operation(String call, Op op, Datatype datatype) {
        if (op == null) {
            throw error(MPI.ERR_OP, call, "the operation is null");
        }
        String refusal = op.refuses(datatype);
        if (refusal != null) {
            throw error(MPI.ERR_OP, call, refusal);
        }
    }

    /** Checks {@code count} elements from {@code offset} on. */
    void buffer(String call, String what, Object buffer, int offset, int count, Datatype datatype) {
        count(call, what, count, datatype);
        array(call, what, buffer, count, datatype);
        range(call, what, buffer, offset, count, datatype, true);
    }

    /** As {@link #buffer}, for what is written to, all of it. */
    void result(String call, String what, Object buffer, int offset, int count, Datatype datatype) {
        writable(call, what, buffer);
        buffer(call, what, buffer, offset, count, datatype);
    }

    /**
     * Checks what a message is received in. Its count may go beyond the array's end: what comes is checked when it comes
     * ({@link org.posthouse.mpj.data.Region#sink}), as MPJ Express does.
     */
    void room(String call, String what, Object buffer, int offset, int count, Datatype datatype) {
        writable(call, what, buffer);
        count(call, what, count, datatype);
        array(call, what, buffer, count, datatype);
        start(call, what, offset, count, datatype);
    }

    void writable(String call, String what, Object buffer) {
        if (buffer instanceof Buffer nio && nio.isReadOnly()) {
            throw error(MPI.ERR_BUFFER, call, "the " + what + " is read-only");
        }
    }

    /** Checks a count and its datatype. */
    void count(String call, String what, int count, Datatype datatype) {
        usable(call, what, datatype);
        if (count < 0) {
            throw error(MPI.ERR_COUNT, call, "count of the " + what + " is " + count + ", expected 0 or more");
        }
    }

    void buffer(String call, String what, Elements elements) {
        buffer(call, what, elements.buffer(), elements.offset(), elements.count(), elements.type());
    }

    void result(String call, String what, Elements elements) {
        result(call, what, elements.buffer(), elements.offset(), elements.count(), elements.type());
    }

    void room(String call, String what, Elements elements) {
        room(call, what, elements.buffer(), elements.offset(), elements.count(), elements.type());
    }

    /** As {@link #blocks}, for what is written to, all of it. */
    void result(String call, String what, RankBlocks blocks) {
        writable(call, what, blocks.buffer());
        blocks(call, what, blocks);
    }

    /** As {@link #room}, one block for every rank. */
    void room(String call, String what, RankBlocks blocks) {
        writable(call, what, blocks.buffer());
        blocks(call, what, blocks, false);
    }

    /** Checks one block for every rank. */
    void blocks(String call, String what, RankBlocks blocks) {
        blocks(call, what, blocks, true);
    }

    /** @param whole whether all of each block is used, not only what comes of it */
    private void blocks(String call, String what, RankBlocks blocks, boolean whole) {
        Datatype datatype = blocks.type();
        if (blocks.even()) {
            count(call, what, blocks.count(), datatype);
            long elements = (long) blocks.count() * ranks;
            array(call, what, blocks.buffer(), elements, datatype);
            range(call, what, blocks.buffer(), blocks.offset(), elements, datatype, whole);
            return;
        }
        usable(call, what, datatype);
        perRank(call, "displacements of the " + what, blocks.displs());
        array(call, what, blocks.buffer(), total(call, what, blocks.counts()), datatype);
        for (int rank = 0; rank < ranks; rank++) {
            if (blocks.counts()[rank] > 0) {
                long at = blocks.offset() + (long) blocks.displs()[rank] * datatype.layout().extent();
                range(call, what, blocks.buffer(), at, blocks.counts()[rank], datatype, whole);
            }
        }
    }

    /** Checks one block for every rank, of the given counts, one after another. */
    void adjacent(String call, String what, Object buffer, int offset, int[] counts, Datatype datatype) {
        usable(call, what, datatype);
        long total = total(call, what, counts);
        array(call, what, buffer, total, datatype);
        range(call, what, buffer, offset, total, datatype, true);
    }

    private void usable(String call, String what, Datatype datatype) {
        if (datatype == null || !datatype.isUsable()) {
            String why = datatype == null ? "null" : datatype.whyUnusable();
            throw error(MPI.ERR_TYPE, call, "the datatype of the " + what + " is " + why);
        }
    }

    private long total(String call, String what, int[] counts) {
        perRank(call, "counts of the " + what, counts);
        long total = 0;
        for (int rank = 0; rank < ranks; rank++) {
            if (counts[rank] < 0) {
                throw error(
                        MPI.ERR_COUNT,
                        call,
                        "count " + rank + " of the " + what + " is " + counts[rank] + ", expected 0 or more");
            }
            total += counts[rank];
        }
        return total;
    }

    void perRank(String call, String what, int[] values) {
        if (values == null || values.length < ranks) {
            throw error(
                    MPI.ERR_ARG,
                    call,
                    "the " + what + " are " + (values == null ? "null" : values.length + " values") + ", expected "
                            + ranks);
        }
    }

    private void array(String call, String what, Object buffer, long elements, Datatype datatype) {
        if (buffer == null && elements > 0 && datatype.size() > 0) {
            throw error(MPI.ERR_BUFFER, call, "the " + what + " is null, expected an array for " + datatype);
        }
        if (buffer != null && datatype.size() > 0 && !datatype.base().holds(datatype.store(buffer))) {
            throw error(
                    MPI.ERR_TYPE,
                    call,
                    "the " + what + " is of class " + buffer.getClass().getTypeName() + ", expected "
                            + datatype.base().arrayClass().getTypeName() + " for " + datatype);
        }
    }

    /** The first element begins in the array, or behind it: where others go is checked when they come. */
    private void start(String call, String what, long offset, long elements, Datatype datatype) {
        long first = offset + datatype.layout().first(1);
        if (first < 0 && elements > 0 && datatype.size() > 0) {
            throw error(
                    MPI.ERR_BUFFER, call,
                    "the " + what + " is used from " + first + " to " + (offset + datatype.layout().end(elements)) + " (" + elements + " elements of "
                            + datatype + "), expected from 0 on");
        }
    }

    private void range(String call, String what, Object buffer, long offset, long elements, Datatype datatype, boolean whole) {
        if (datatype.size() == 0) {
            return;
        }
        if (whole) {
            within(call, what, buffer, offset, elements, datatype);
        } else {
            start(call, what, offset, elements, datatype);
        }
        if (elements * datatype.size() > Integer.MAX_VALUE) {
            throw error(
                    MPI.ERR_COUNT,
                    call,
                    elements + " elements of " + datatype + " in the " + what + " are " + elements * datatype.size()
                            + " array elements, expected at most " + Integer.MAX_VALUE);
        }
    }

    private void within(String call, String what, Object buffer, long offset, long elements, Datatype datatype) {
        int length = buffer == null ? 0 : datatype.base().length(datatype.store(buffer));
        long first = offset + datatype.layout().first(elements);
        long end = offset + datatype.layout().end(elements);
        if (end > first && (first < 0 || end > length)) {
            throw error(
                    MPI.ERR_BUFFER,
                    call,
                    "the " + what + " is used from " + first + " to " + end + " (" + elements + " elements of "
                            + datatype + "), expected within its length " + length);
        }
    }
}
