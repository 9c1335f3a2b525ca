package org.posthouse.bench.names;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.posthouse.wan.WanShape;

/**
 * A back end at the other end of an emulated way: each call goes there and its answer back. For back ends without a connection of their own between front end
 * and back end. Closes the back end's connection with itself.
 */
final class DelayedNames implements NameService {
    /** Of a question or an answer, besides its record. */
    private static final int FRAME_BYTES = 64;

    private final NameService names;
    private final WanShape shape;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("bench-names-way").factory());

    DelayedNames(NameService names, WanShape shape) {
        this.names = names;
        this.shape = shape;
    }

    private static long bytes(NameRecord record) {
        return FRAME_BYTES + record.fields().entrySet().stream().mapToLong(field -> bytes(field.getKey()) + bytes(field.getValue())).sum();
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** How long so many bytes are on their way. */
    private long nanos(long bytes) {
        return shape.delayNanos() + (shape.bytesPerSecond() == 0 ? 0 : Math.round(bytes * 1e9 / shape.bytesPerSecond()));
    }

    private <T> CompletionStage<T> call(long bytes, Supplier<CompletionStage<T>> work, ToLongFunction<T> answerBytes) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        after(nanos(bytes), () -> work.get().whenComplete((value, fault) -> after(nanos(fault == null ? answerBytes.applyAsLong(value) : FRAME_BYTES), () -> {
            if (fault == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(fault);
            }
        })));
        return answer;
    }

    private void after(long nanos, Runnable work) {
        timer.schedule(work, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return call(bytes(record), () -> names.bind(name, record), bound -> FRAME_BYTES);
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return call(bytes(record), () -> names.rebind(name, record), bound -> FRAME_BYTES);
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return call(bytes(record), () -> names.swap(name, expected, record), bound -> FRAME_BYTES);
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return call(FRAME_BYTES, () -> names.lookup(name), bound -> bound.map(each -> bytes(each.record())).orElse((long) FRAME_BYTES));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return call(FRAME_BYTES, () -> names.unbind(name, expected), done -> FRAME_BYTES);
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        return call(FRAME_BYTES, () -> names.list(prefix, limit, after), found -> found.stream().mapToLong(each -> bytes(each.record())).sum());
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        return names.listen(prefix, change -> after(nanos(bytes(change.bound().record())), () -> listener.accept(change)));
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
