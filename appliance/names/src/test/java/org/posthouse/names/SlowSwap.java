package org.posthouse.names;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A world's back end, whose swaps come late, and perhaps twice. */
final class SlowSwap implements NameService {
    final Alarm alarm;
    private final SimulatedWorld world;
    private final long delayMs;

    /** Whether the answer is that of a second swap, which finds what the first has done. */
    boolean isAskedTwice;

    SlowSwap(SimulatedWorld world, long delayMs) {
        this.world = world;
        this.delayMs = delayMs;
        this.alarm = world.new FrontEnd("slow");
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return world.backEnd().bind(name, record);
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return world.backEnd().rebind(name, record);
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        CompletableFuture<BoundName> late = new CompletableFuture<>();
        if (isAskedTwice) {
            world.after(delayMs, () -> world.backEnd().swap(name, expected, record));
        }
        world.after(delayMs, () -> world.backEnd().swap(name, expected, record).whenComplete((bound, fault) -> {
            if (fault == null) {
                late.complete(bound);
            } else {
                late.completeExceptionally(fault);
            }
        }));
        return late;
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return world.backEnd().lookup(name);
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return world.backEnd().unbind(name, expected);
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        return world.backEnd().list(prefix, limit, after);
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        return world.backEnd().listen(prefix, listener);
    }

    @Override
    public void close() {
        world.backEnd().close();
    }
}
