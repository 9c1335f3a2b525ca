package org.posthouse.names.raft;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.names.raft.Frame.Question;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names that a majority of judges agrees on ({@code --names raft}), by the Raft protocol (Ongaro and Ousterhout, 2014) as Apache Ratis has it. Thread-safe.
 * Each call runs on a virtual thread of its own, so calls that do not wait for each other are done in any order. Without a majority every call fails with
 * UNAVAILABLE after {@link RaftTiming#answerMs}.
 */
public final class RaftNames implements NameService {
    private static final Logger LOG = LoggerFactory.getLogger(RaftNames.class);

    /** Most calls at once; a further one fails with UNAVAILABLE at once. Each has a record of 64 KiB at most. */
    static final int CALLS_MAX = 1_024;

    private static final Duration WATCH_EACH = Duration.ofSeconds(30);

    private final RaftConfig config;
    private final Optional<RaftJudge> judge;
    private final JudgeClient client;
    private final ChangeFeed feed;
    private final Semaphore room = new Semaphore(CALLS_MAX);
    private final Thread watch;

    /** Asks the judges; may block. */
    private interface Call<T> {
        T ask() throws InterruptedException, IOException;
    }

    private RaftNames(RaftConfig config, Optional<RaftJudge> judge) {
        this.config = config;
        this.judge = judge;
        this.client = new JudgeClient(config, judge);
        this.feed = new ChangeFeed(client);
        this.watch = Thread.ofVirtual().name("posthouse-judge-watch").start(this::watch);
    }

    /** Closes connections that are not admitted any more, and reports a judge that has ended by itself, once. */
    private void watch() {
        try {
            boolean wasUp = true;
            while (true) {
                Thread.sleep(WATCH_EACH);
                config.guard().expel();
                if (wasUp && judge.isPresent() && judge.get().hasEnded()) {
                    wasUp = false;
                    LOG.error(
                            "relay {}: its judge has ended, as the lines of org.apache.ratis before this say: see that {} can be written, and start the relay again; the"
                                    + " other judges go on",
                            config.relay(), config.folder());
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("relay {}: its names were closed", config.relay(), e);
        }
    }

    /**
     * Starts the judge, if this relay is one. Does not wait for the others.
     *
     * @throws IOException in one line, if the judge's port is in use, or its folder damaged, in use or another's
     */
    public static RaftNames open(RaftConfig config) throws IOException {
        return new RaftNames(config, config.isJudge() ? Optional.of(RaftJudge.start(config)) : Optional.empty());
    }

    Optional<RaftJudge> judge() {
        return judge;
    }

    /** The judge that leads, as this relay's own judge knows it; empty if it knows of none, or if this relay is no judge. */
    public Optional<String> leader() throws IOException {
        return judge.isPresent() ? judge.get().leader() : Optional.empty();
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return change(NameCommand.bind(name, record), version -> new BoundName(name, record, version));
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return change(NameCommand.rebind(name, record), version -> new BoundName(name, record, version));
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return change(NameCommand.swap(name, expected, record), version -> new BoundName(name, record, version));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return change(NameCommand.unbind(name, expected), done -> done == 1);
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return call(() -> {
            ByteReader in = new ByteReader(client.ask(Question.LOOKUP, new ByteWriter().name(name).toBytes(), 0));
            Optional<BoundName> found = in.optionalBound();
            in.end();
            return found;
        });
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit " + limit + ", expected 1 to " + LIST_MAX);
        }
        return call(() -> List.copyOf(ChangeFeed.list(client, prefix, limit, after)));
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        return feed.listen(prefix, listener);
    }

    private <T> CompletionStage<T> change(NameCommand command, Function<Long, T> answer) {
        if (command.name().equals(Name.ROOT)) {
            return CompletableFuture.failedFuture(new NameException(NameException.Kind.BAD_NAME, "the root is the prefix of all names, and no name itself"));
        }
        return call(() -> answer.apply(NameCommand.answer(client.command(command))));
    }

    private <T> CompletionStage<T> call(Call<T> call) {
        if (!room.tryAcquire()) {
            return CompletableFuture.failedFuture(NameException.busy(
                    "relay " + config.relay() + " has " + CALLS_MAX + " calls to the judges under way, the most at once; try again"));
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread.ofVirtual().name("posthouse-names-call").start(() -> {
            try {
                T value = call.ask();
                room.release();
                answer.complete(value);
            } catch (NameException e) {
                room.release();
                answer.completeExceptionally(e);
            } catch (InterruptedException | IOException | RuntimeException e) {
                room.release();
                answer.completeExceptionally(new NameException(NameException.Kind.UNAVAILABLE, "the judges' answer cannot be read: " + e.getMessage(), e));
            }
        });
        return answer;
    }

    /** Ends the judge too. What it has answered is on the disks of a majority. */
    @Override
    public void close() {
        watch.interrupt();
        feed.close();
        client.close();
        judge.ifPresent(RaftJudge::end);
    }
}
