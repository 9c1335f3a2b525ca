package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Changes of several records, cut at every call. */
class CompoundChangeTest {
    private static final Name STATE = Name.parse("job/7/state");
    private static final Map<String, NameRecord> OLD = Map.of("a", NameRecord.of(Map.of("v", "1")), "b", NameRecord.of(Map.of("v", "1")));
    private static final Map<String, NameRecord> NEW = Map.of(
            "a", NameRecord.of(Map.of("v", "2")), "b", NameRecord.of(Map.of("v", "2")), "c", NameRecord.of(Map.of("v", "2")));

    private final AtomicInteger ids = new AtomicInteger();

    private CompletionStage<CompoundChange> begin(SimulatedWorld.FrontEnd from) {
        return CompoundChange.begin(from, STATE, () -> "id-" + ids.incrementAndGet(), from);
    }

    private CompletionStage<BoundName> change(SimulatedWorld.FrontEnd from, Map<String, NameRecord> to) {
        return begin(from).thenCompose(change -> {
            to.forEach((key, record) -> change.put(key, record.fields()));
            return change.commit(0);
        });
    }

    private static Map<String, NameRecord> read(SimulatedWorld world) {
        CompletableFuture<CompoundState> state = CompoundState.read(world.backEnd(), STATE).toCompletableFuture();
        return state.join().records();
    }

    private static List<String> copies(SimulatedWorld world) {
        return world.backEnd().list(Name.parse("job/7/copy"), 1_000, Optional.empty()).toCompletableFuture().join().stream()
                .map(bound -> bound.name().parts().getLast()).toList();
    }

    /** The process dies before its call number k, for every k. */
    @Test
    void aCrashAtAnyCallLeavesOldOrNewAndTheCollectorNothingElse() {
        int kept = 0;
        int changed = 0;
        for (int calls = 0; calls <= 6; calls++) {
            SimulatedWorld world = new SimulatedWorld(calls, 0);
            change(world.new FrontEnd("first"), OLD);
            world.run(10_000);
            assertThat(read(world)).isEqualTo(OLD);
            SimulatedWorld.FrontEnd dies = world.new FrontEnd("dies");
            dies.callsLeft = calls;
            change(dies, NEW);
            world.run(10_000);
            Map<String, NameRecord> after = read(world);
            assertThat(after).as("cut before call " + calls).isIn(OLD, NEW);
            kept += after.equals(OLD) ? 1 : 0;
            changed += after.equals(NEW) ? 1 : 0;
            collectTwice(world);
            assertThat(read(world)).as("behind the collector").isEqualTo(after);
            assertThat(copies(world)).hasSameSizeAs(after.keySet());
        }
        assertThat(kept).isEqualTo(5);
        assertThat(changed).isEqualTo(2);
    }

    private static void collectTwice(SimulatedWorld world) {
        CopyCollector collector = new CopyCollector(world.backEnd(), STATE, world.new FrontEnd("collector"));
        assertThat(collector.collect().toCompletableFuture().join()).as("what was just seen stays").isZero();
        world.run(CopyCollector.SEEN_MS);
        collector.collect().toCompletableFuture().join();
    }

    @Test
    void ofTwoChangesOfOneStateTheSecondIsRefusedAndLeavesNothing() {
        SimulatedWorld world = new SimulatedWorld(1, 0);
        change(world.new FrontEnd("first"), OLD);
        world.run(10_000);
        List<CompletableFuture<BoundName>> both = new ArrayList<>();
        for (String writer : List.of("one", "other")) {
            both.add(change(world.new FrontEnd(writer), NEW).toCompletableFuture());
        }
        world.run(10_000);
        assertThat(both.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(1);
        assertThat(read(world)).isEqualTo(NEW);
        assertThat(copies(world)).as("old and new ones, none of the refused change").hasSize(5);
    }

    /** Its back end has done it, lost the answer and tried again. */
    @Test
    void aChangeThatFindsItselfIsMadeAndKeepsItsCopies() {
        SimulatedWorld world = new SimulatedWorld(1, 0);
        change(world.new FrontEnd("first"), OLD);
        world.run(10_000);
        SlowSwap twice = new SlowSwap(world, 10);
        twice.isAskedTwice = true;
        CompletableFuture<BoundName> made = CompoundChange.begin(twice, STATE, () -> "id-" + ids.incrementAndGet(), twice.alarm)
                .thenCompose(change -> change.put("a", Map.of("v", "3")).commit(0)).toCompletableFuture();
        world.run(10_000);
        assertThat(read(world)).isEqualTo(Map.of("a", NameRecord.of(Map.of("v", "3")), "b", OLD.get("b")));
        assertThat(made.join().version()).isEqualTo(2);
    }

    /** It bound its copies, slept for longer than the collector waits, and then swaps. */
    @Test
    void aWriterThatSleptPastTheCollectorChangesNothing() {
        SimulatedWorld world = new SimulatedWorld(1, 0);
        change(world.new FrontEnd("first"), OLD);
        world.run(10_000);
        List<CompletableFuture<BoundName>> bound = new ArrayList<>();
        SlowSwap slow = new SlowSwap(world, 2 * CopyCollector.SEEN_MS);
        bound.add(CompoundChange.begin(slow, STATE, () -> "id-" + ids.incrementAndGet(), slow.alarm)
                .thenCompose(change -> change.put("a", Map.of("v", "3")).commit(0)).toCompletableFuture());
        world.run(10);
        collectTwice(world);
        assertThat(copies(world)).as("its copy was collected").hasSize(2);
        world.run(3 * CopyCollector.SEEN_MS);
        assertThat(bound.getFirst()).isCompletedExceptionally();
        assertThat(read(world)).isEqualTo(OLD);
    }

    /** A leader that lost an election cannot change the state, whatever version it has read. */
    @Test
    void anOldLeadersChangeIsRefused() {
        SimulatedWorld world = new SimulatedWorld(1, 0);
        SimulatedWorld.FrontEnd leader = world.new FrontEnd("new");
        begin(leader).thenCompose(change -> change.put("a", Map.of("v", "1")).commit(6));
        world.run(10_000);
        CompletableFuture<BoundName> old =
                begin(world.new FrontEnd("old")).thenCompose(change -> change.put("a", Map.of("v", "0")).commit(5)).toCompletableFuture();
        world.run(10_000);
        assertThat(old).isCompletedExceptionally();
        assertThat(read(world)).isEqualTo(Map.of("a", NameRecord.of(Map.of("v", "1"))));
    }

    @Test
    void whatIsRemovedIsGoneAtOnce() {
        SimulatedWorld world = new SimulatedWorld(1, 0);
        change(world.new FrontEnd("first"), OLD);
        world.run(10_000);
        begin(world.new FrontEnd("second")).thenCompose(change -> change.remove("b").put("c", Map.of()).commit(0));
        world.run(10_000);
        assertThat(read(world).keySet()).containsExactlyInAnyOrder("a", "c");
    }
}
