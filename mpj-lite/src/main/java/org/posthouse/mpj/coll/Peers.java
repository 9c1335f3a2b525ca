package org.posthouse.mpj.coll;

import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.UnwritableException;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * The ranks of one communicator as its collectives see them: numbered from 0, in a context of their own. Confined to
 * the one thread that is inside a collective of the communicator. The hand-over of a communicator to another thread
 * orders the writes of the first before the reads of the second.
 *
 * <p>All messages of a collective have one tag, the number of the operation. Messages of one sender do not overtake
 * each other, so those of different phases do not mix. These failures do not end a collective: a failed receive, an
 * exception of the program's own operation or of the serialization of its objects, and a lack of memory for scratch.
 * The rank runs it to the end, so that no operation still points into the program's buffers and no rank waits for it.
 * From the failure on it sends {@link PoisonMessage} messages; {@link #end} throws the first failure.
 */
public final class Peers {
    private final Endpoint endpoint;
    private final Algorithms algorithms;
    private final int context;
    private final int rank;
    private final int[] worldRanks;
    private final int[] sites;
    private final int siteCount;
    /** The peers of which these are a part, which count the operations; this itself if they are all. */
    private final Peers whole;

    private int operations;
    private ReceiveException failure;

    /**
     * Exception of the program's own code, or a lack of memory, or of an array that can hold a result; null if a
     * receive has failed before.
     */
    private Throwable thrown;

    /**
     * Peers whose algorithms are chosen, or forced by the environment.
     *
     * @param context the communicator's collective context
     * @param rank the calling process's rank in the communicator
     * @param worldRanks the world rank of each rank; kept, not copied
     */
    public Peers(Endpoint endpoint, int context, int rank, int[] worldRanks) {
        this(endpoint, Algorithms.fromEnvironment(), context, rank, worldRanks);
    }

    Peers(Endpoint endpoint, Algorithms algorithms, int context, int rank, int[] worldRanks) {
        this(endpoint, algorithms, context, rank, worldRanks, null);
    }

    private Peers(Endpoint endpoint, Algorithms algorithms, int context, int rank, int[] worldRanks, Peers whole) {
        this.endpoint = endpoint;
        this.algorithms = algorithms;
        this.context = context;
        this.rank = rank;
        this.worldRanks = worldRanks;
        this.whole = whole == null ? this : whole;
        sites = Arrays.stream(worldRanks).map(endpoint::siteOf).toArray();
        siteCount = (int) Arrays.stream(sites).distinct().count();
    }

    /**
     * Some of these ranks, the calling one among them, numbered anew in the given order: for one phase of a collective
     * that is under way. It is begun and ended for the whole.
     */
    Peers among(int... members) {
        int[] world = Arrays.stream(members).map(member -> worldRanks[member]).toArray();
        return new Peers(endpoint, algorithms, context, Tree.position(members, rank), world, whole);
    }

    /** Counts operations from here on: for a part of a communicator's ranks that uses its context. */
    public Peers countingFrom(int operation) {
        operations = operation;
        return this;
    }

    /** Operations so far. */
    public int operations() {
        return operations;
    }

    int rank() {
        return rank;
    }

    int size() {
        return worldRanks.length;
    }

    int site(int peer) {
        return sites[peer];
    }

    Algorithms algorithms() {
        return algorithms;
    }

    /** The input to the choice of an algorithm: the same at every rank. */
    Algorithms.Call call(long bytes, boolean commutes) {
        return new Algorithms.Call(size(), siteCount, bytes, commutes);
    }

    /** The ranks of a site, in their order. */
    int[] ofSite(int site) {
        return IntStream.range(0, size()).filter(peer -> sites[peer] == site).toArray();
    }

    /** The first rank of each site, in their order. */
    int[] siteLeaders() {
        return IntStream.range(0, size())
                .filter(peer -> IntStream.range(0, peer).noneMatch(before -> sites[before] == sites[peer]))
                .toArray();
    }

    /** Begins the next collective; every rank begins the same one. */
    void begin() {
        operations = operations + 1 & Integer.MAX_VALUE;
        failure = null;
        thrown = null;
    }

    /**
     * Ends it; throws the first failure of a receive, or of the program's own code.
     *
     * @throws UnwritableException if an object cannot be serialized
     */
    void end() throws ReceiveException {
        if (thrown instanceof UnwritableException e) {
            throw e;
        }
        if (thrown != null) {
            throw new ProgramException(thrown);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Notes a failure that is not that of an awaited operation. */
    void failed(ReceiveException e) {
        if (whole.failure == null) {
            whole.failure = e;
        }
    }

    /** A step of one rank alone; an exception does not end the collective. */
    interface Step {
        void run() throws ReceiveException;
    }

    /** Runs a step, and notes its failure for the end. */
    void attempt(Step step) {
        try {
            step.run();
        } catch (ReceiveException e) {
            failed(e);
        } catch (RuntimeException | Error e) {
            whole.thrown = whole.isSpoiled() ? whole.thrown : e;
        }
    }

    /** Delivers a rank's own block, as a message would. */
    void keep(Block own, Block target) {
        attempt(() -> own.deliver(target));
    }

    /** As {@link Region#moveTo}. */
    void move(Region from, int at, Region target, int targetAt, int count) {
        attempt(() -> from.moveTo(at, target, targetAt, count));
    }

    /** Elements as an outgoing message; SPOILED if they cannot be serialized. */
    Content content(Region region, int at, int count) {
        Content[] made = {PoisonMessage.MESSAGE};
        if (!whole.isSpoiled()) {
            attempt(() -> made[0] = region.content(at, count));
        }
        return made[0];
    }

    Content content(Block block) {
        return content(block.region(), block.at(), block.count());
    }

    /** All contents, made before anything is posted: if one cannot be made, all ranks learn it. */
    Content[] contents(Block[] blocks) {
        Content[] contents = new Content[blocks.length];
        for (int i = 0; i < blocks.length; i++) {
            contents[i] = blocks[i] == null ? null : content(blocks[i]);
        }
        return contents;
    }

    /** As {@link Region#scratch}. */
    Region scratch(Region like, int count) {
        return room(like, () -> like.scratch(count));
    }

    /** As {@link Region#packedScratch}. */
    Region packedScratch(Region like, int count) {
        return room(like.inDataElements(), () -> like.packedScratch(count));
    }

    /** A copy of the data, as {@link Region#packed}. */
    Block packed(Block block) {
        Region region = block.region();
        return new Block(
                room(region.inDataElements(), () -> region.packed(block.at(), block.count())), 0, region.dataElements(block.count()));
    }

    /** As {@link Region#unpack}. */
    void unpack(Region packed, int packedAt, Region target, int at, int count) {
        attempt(() -> target.unpack(packed, packedAt, at, count));
    }

    /** As {@link Reduction#compact}. */
    Region compact(Reduction op, Region region, int count) {
        return room(region, () -> op.compact(region, count));
    }

    /**
     * Allocates memory in addition to the program's own. If there is none, the result is {@link Region#withoutRoom},
     * and the rank has failed.
     */
    Region room(Region like, Supplier<Region> allocating) {
        Region[] room = {like.withoutRoom()};
        attempt(() -> room[0] = allocating.get());
        return room[0];
    }

    /** A copy of the first elements of a region, in an array; of objects too, as an operation may change them. */
    Region copyOf(Region region, int count) {
        return copyOf(new Block(region, 0, count));
    }

    Region copyOf(Block block) {
        Region copy = scratch(block.region(), block.count());
        keep(block, new Block(copy, 0, block.count()));
        return copy;
    }

    /** Combines values, unless one of them may not have come. The program is told of the first failure. */
    void combine(Reduction op, Region in, int inAt, Region inOut, int inOutAt, int count) {
        if (!whole.isSpoiled()) {
            attempt(() -> op.combine(in, inAt, inOut, inOutAt, count));
        }
    }

    private boolean isSpoiled() {
        return failure != null || thrown != null;
    }

    private int tag() {
        return whole.operations;
    }

    private Content unspoiled(Content content) {
        return whole.isSpoiled() ? PoisonMessage.MESSAGE : content;
    }

    Operation send(int destination, Content content) {
        return endpoint.send(context, worldRanks[destination], tag(), unspoiled(content));
    }

    Operation receive(int source, Sink sink) {
        return endpoint.receive(context, worldRanks[source], tag(), sink);
    }

    /** A receive and a send at once; the receive comes first in the result. */
    Operation[] exchange(int source, Sink sink, int destination, Content content) {
        return endpoint.exchange(
                context, worldRanks[source], tag(), sink, worldRanks[destination], tag(), unspoiled(content));
    }

    /** Blocks until the operation is done, and notes its failure; null is done. */
    void await(Operation operation) {
        if (operation == null) {
            return;
        }
        endpoint.await(operation);
        if (operation.failure() != null) {
            failed(operation.failure());
        }
    }

    void awaitAll(Operation... operations) {
        for (Operation operation : operations) {
            await(operation);
        }
    }

    /**
     * All ranks in an order that every rank agrees on: {@code first} in front, sites one after another, the site of
     * {@code first} before the others. Data that is passed along this order enters each site once.
     */
    int[] inSiteOrder(int first) {
        int[] order = new int[size()];
        boolean[] taken = new boolean[size()];
        int filled = 0;
        for (int head = 0; filled < size(); head++) {
            int leader = (first + head) % size();
            for (int next = 0; next < size(); next++) {
                int peer = (leader + next) % size();
                if (!taken[peer] && sites[peer] == sites[leader]) {
                    taken[peer] = true;
                    order[filled++] = peer;
                }
            }
        }
        return order;
    }
}
