package org.posthouse.relay.names;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NameAssembly;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.WireException;

/** The questions about names of one connection. Confined to the strand of its session; answers come by the output. */
public final class NameRequests {
    /** Most prefixes that a connection listens to. */
    static final int LISTENS_MAX = 64;

    /** Most questions of a connection that wait for their answers. */
    static final int UNDER_WAY_MAX = 1_024;

    /** Most bytes of records in one answer, without what the last of them has. */
    private static final int ANSWER_BYTES_MAX = NameAnswer.BYTES_MAX - 2 * NameAsk.BYTES_MAX;

    /** Names that are read at once for a list; each may have 64 KiB. */
    private static final int PAGE = 64;

    private static final int CONTENDER_CHARS_MAX = 200;

    private final RelayNames relay;
    private final NameFrontEnd names;
    private final NameCaller caller;
    private final Consumer<ByteBuffer> output;
    private final NameAssembly assembly = new NameAssembly(NameAsk.BYTES_MAX);
    private final Map<Long, NameService.Subscription> listens = new HashMap<>();

    /** Questions without an answer. Added to by the session's strand, taken from by whoever answers. */
    private final AtomicInteger underWay = new AtomicInteger();

    /** @param output takes frames from any thread */
    NameRequests(RelayNames relay, NameCaller caller, Consumer<ByteBuffer> output) {
        this.relay = relay;
        this.names = relay.frontEnd();
        this.caller = caller;
        this.output = output;
    }

    /** Takes a page of a question, and asks behind the last. */
    public void onPage(NamePage page) throws WireException {
        Optional<ByteBuffer> body = assembly.add(page);
        if (body.isPresent()) {
            ask(page.job(), page.id(), NameAsk.decode(body.get()));
        }
    }

    private void ask(long job, long id, NameAsk ask) throws WireException {
        if (underWay.incrementAndGet() > UNDER_WAY_MAX) {
            throw new WireException(CloseReason.LIMIT, underWay.get() + " questions about names wait for their answers, expected at most " + UNDER_WAY_MAX);
        }
        CompletionStage<NameAnswer> answer;
        try {
            answer = answer(job, id, ask);
        } catch (NameException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((done, fault) -> {
            underWay.decrementAndGet();
            write(FrameType.NAME_ANSWER, job, id, fault == null ? done : NameAnswers.failed(known(fault)));
        });
    }

    private void write(FrameType type, long job, long id, NameAnswer answer) {
        NamePage.encode(type, job, id, answer.encode()).forEach(output);
    }

    private static NameException known(Throwable fault) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        return cause instanceof NameException named ? named : new NameException(NameException.Kind.UNAVAILABLE, "the relay has failed: " + cause, cause);
    }

    private CompletionStage<NameAnswer> answer(long job, long id, NameAsk ask) {
        if (ask.operation() == NameAsk.Operation.STOP) {
            return stop(id);
        }
        boolean takesPrefix = ask.operation() == NameAsk.Operation.LIST || ask.operation() == NameAsk.Operation.LISTEN;
        Name name = takesPrefix ? Name.parsePrefix(ask.name()) : Name.parse(ask.name());
        caller.check(ask.operation(), name);
        return switch (ask.operation()) {
            case LOOKUP -> names.lookup(name).thenApply(NameAnswers::done);
            case LIST -> list(name, ask);
            case LISTEN -> listen(job, id, name);
            case STOP -> stop(id);
            case BIND -> changed(ask, bind(name, caller.record(ask)).thenApply(NameAnswers::done));
            case REBIND -> changed(ask, names.rebind(name, caller.record(ask)).thenApply(NameAnswers::done));
            case SWAP -> changed(ask, names.swap(name, ask.version(), caller.record(ask)).thenApply(NameAnswers::done));
            case UNBIND -> changed(ask, unbind(name, ask.version()));
            case ELECT -> changed(ask, elect(name, ask.fields().getOrDefault(NameAsk.CONTENDER, "")));
        };
    }

    private CompletionStage<NameAnswer> changed(NameAsk ask, CompletionStage<NameAnswer> answer) {
        return answer.whenComplete((done, fault) -> {
            if (fault == null) {
                relay.changed(ask.operation() + " of " + ask.name() + " by " + caller);
            }
        });
    }

    private CompletionStage<BoundName> bind(Name name, NameRecord record) {
        caller.job().ifPresent(relay::publishes);
        return names.bind(name, record);
    }

    /** Takes away what the caller has seen, or may see. */
    private CompletionStage<NameAnswer> unbind(Name name, long expected) {
        return names.lookup(name).thenCompose(found -> {
            found.ifPresent(caller::checkUnbind);
            long version = found.map(BoundName::version).orElse(0L);
            if (expected != NameService.ANY_VERSION && expected != version) {
                return CompletableFuture.failedFuture(NameException.conflict(name, expected, found.orElse(null)));
            }
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(NameAnswers.done(Optional.empty()));
            }
            return names.unbind(name, version).thenApply(gone -> NameAnswers.done(gone ? found : Optional.empty()));
        });
    }

    private CompletionStage<NameAnswer> elect(Name token, String contender) {
        if (contender.isBlank() || contender.length() > CONTENDER_CHARS_MAX) {
            return CompletableFuture.failedFuture(new NameException(
                    NameException.Kind.BAD_NAME, "a contender of " + contender.length() + " characters, expected 1 to " + CONTENDER_CHARS_MAX));
        }
        return names.elect(token, contender).thenCompose(leader -> names.lookup(token)).thenApply(NameAnswers::done);
    }

    private CompletionStage<NameAnswer> list(Name prefix, NameAsk ask) {
        if (ask.limit() < 1) {
            return CompletableFuture.failedFuture(new NameException(NameException.Kind.TOO_LARGE, "a list of at most " + ask.limit() + " names, expected 1 to "
                    + NameService.LIST_MAX));
        }
        Optional<Name> after = ask.after().isEmpty() ? Optional.empty() : Optional.of(Name.parse(ask.after()));
        return list(prefix, ask.limit(), after, new ArrayList<>(), 0);
    }

    private CompletionStage<NameAnswer> list(Name prefix, int left, Optional<Name> after, List<BoundName> found, long bytesBefore) {
        int asked = Math.min(left, PAGE);
        return names.list(prefix, asked, after).thenCompose(page -> {
            long bytes = bytesBefore;
            for (BoundName bound : page) {
                if (bytes > ANSWER_BYTES_MAX) {
                    return CompletableFuture.completedFuture(NameAnswers.listed(found, true));
                }
                found.add(bound);
                bytes += bytes(bound);
            }
            boolean isMore = page.size() == asked;
            return isMore && left > asked
                    ? list(prefix, left - asked, Optional.of(page.getLast().name()), found, bytes)
                    : CompletableFuture.completedFuture(NameAnswers.listed(found, isMore));
        });
    }

    /** At most this many bytes in an answer. */
    private static long bytes(BoundName bound) {
        long chars = bound.record().fields().entrySet().stream().mapToLong(field -> field.getKey().length() + field.getValue().length()).sum();
        return Math.min(NameAsk.BYTES_MAX, 3 * (chars + bound.name().toString().length()) + 8L * (bound.record().fields().size() + 8));
    }

    private CompletionStage<NameAnswer> listen(long job, long id, Name prefix) {
        if (listens.containsKey(id) || listens.size() >= LISTENS_MAX) {
            return CompletableFuture.failedFuture(new NameException(
                    NameException.Kind.TOO_LARGE, listens.size() + " prefixes are listened to on this connection, expected at most " + LISTENS_MAX
                            + ", each with an id of its own"));
        }
        listens.put(id, names.listen(prefix, change -> write(FrameType.NAME_CHANGED, job, id, NameAnswers.changed(change))));
        return CompletableFuture.completedFuture(NameAnswers.done(Optional.empty()));
    }

    private CompletionStage<NameAnswer> stop(long id) {
        NameService.Subscription ended = listens.remove(id);
        if (ended != null) {
            ended.close();
        }
        return CompletableFuture.completedFuture(NameAnswers.done(Optional.empty()));
    }

    /** The connection has ended. */
    public void close() {
        listens.values().forEach(NameService.Subscription::close);
        listens.clear();
    }
}
