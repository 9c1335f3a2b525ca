package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.Durability;

/**
 * Everything that can happen to two ranks of two processes each, of which one may die, or seem to, at any moment:
 * breadth first over the states of a {@link ReplicaModel}, so that a fault is found by the shortest way to it.
 */
final class ReplicaModelTest {
    /** What a search went through. */
    private record Found(int states, int ends, Set<String> lost) {}

    /** A state, as the way to it. */
    private record Path(Path before, int action) {
        private List<Integer> actions() {
            List<Integer> actions = new ArrayList<>();
            for (Path at = this; at.before != null; at = at.before) {
                actions.addFirst(at.action);
            }
            return actions;
        }
    }

    private static ReplicaModel walk(ReplicaModel.Setup setup, Path path) throws Exception {
        List<Integer> actions = path.actions();
        ReplicaModel model = new ReplicaModel(setup);
        try {
            for (int action : actions) {
                model.act(action);
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("after " + actions + ": " + e.getMessage(), e);
        }
        return model;
    }

    /** A hash of the state's text in 64 bits: of a million states two are taken for one with a probability below 1e-7. */
    private static long digest(String state) {
        long hash = 17;
        for (int i = 0; i < state.length(); i++) {
            hash = hash * 0x5851f42d4c957f2dL + state.charAt(i);
        }
        return hash ^ hash >>> 29;
    }

    private static Found search(ReplicaModel.Setup setup) throws Exception {
        Set<Long> seen = new HashSet<>();
        Set<String> lost = new HashSet<>();
        List<Path> level = List.of(new Path(null, -1));
        int ends = 0;
        while (!level.isEmpty()) {
            List<Path> next = new ArrayList<>();
            for (Path path : level) {
                ReplicaModel model = walk(setup, path);
                if (!seen.add(digest(model.toString()))) {
                    continue;
                }
                List<Integer> actions = model.actions();
                actions.forEach(action -> next.add(new Path(path, action)));
                if (actions.stream().noneMatch(action -> action / 10 != 2 && action / 10 != 3)) {
                    model.checkEnd();
                    lost.addAll(model.lost());
                    ends++;
                }
            }
            level = next;

        }
        return new Found(seen.size(), ends, lost);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void everyStateKeepsOneHistoryWhereverOneProcessDies(int rank) throws Exception {
        assertWhole(search(ReplicaModel.Setup.of(Durability.PROCESS, rank)), 10_000);
    }

    /** The core has no other states then. */
    @Tag("long")
    @Test
    void everyStateKeepsOneHistoryInMemory() throws Exception {
        assertWhole(search(ReplicaModel.Setup.of(Durability.NONE, 0)), 10_000);
    }

    /** The same with a disk that is synced now and then. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void everyStateKeepsOneHistoryOnADisk(int rank) throws Exception {
        assertWhole(search(ReplicaModel.Setup.of(Durability.HOST, rank)), 50_000);
    }

    private static void assertWhole(Found found, int statesMin) {
        assertThat(found.states()).isGreaterThan(statesMin);
        assertThat(found.ends()).isGreaterThan(100);
        assertThat(found.lost()).isEqualTo(Set.of("the connection ended"));
    }

    @Test
    void followerThatIsKnownToSendSomethingElseIsDroppedAndNeverLeads() throws Exception {
        Found found = search(new ReplicaModel.Setup(Durability.PROCESS, 0, payload -> payload ^ 1, ReplicaModel.Planted.NOTHING));
        assertThat(found.lost()).anyMatch(text -> text.startsWith("has diverged: message 1 to rank "));
    }

    @Test
    void followerThatIsToldMoreThanTheDiskHasIsFound() {
        assertFound(ReplicaModel.Setup.planted(Durability.HOST, ReplicaModel.Planted.UNSAFE_ITEM), "that is not safe");
    }

    @Test
    void promotionThatIsToldAndNotLoggedIsFound() {
        assertFound(ReplicaModel.Setup.planted(Durability.PROCESS, ReplicaModel.Planted.UNLOGGED_PROMOTION), "a follower leads before that is logged");
    }

    @Test
    void endOfAHistoryThatIsToldTooEarlyIsFound() {
        assertFound(ReplicaModel.Setup.planted(Durability.PROCESS, ReplicaModel.Planted.EARLY_END), "");
    }

    @Test
    void messagesThatNobodyComparesAreFound() {
        assertFound(
                new ReplicaModel.Setup(Durability.PROCESS, 0, payload -> payload ^ 1, ReplicaModel.Planted.NO_COMPARISON),
                "a follower leads that has sent something else");
    }

    private static void assertFound(ReplicaModel.Setup faulty, String how) {
        assertThatThrownBy(() -> search(faulty)).isInstanceOf(AssertionError.class).hasMessageContaining(how);
    }
}
