package org.posthouse.launch.reserve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.SeededRuns;
import org.posthouse.wire.AgentMessage.Refusal;
import org.posthouse.wire.AgentMessage.Reserve;
import org.posthouse.wire.AgentMessage.Reserved;
import org.posthouse.wire.Token;

/** The slots of an agent. */
class SlotLedgerTest {
    private static final long MS = 1_000_000;

    /** 2 jobs, 3 slots each, 5 in all. */
    private final SlotLedger ledger = new SlotLedger(new SlotLimits(2, 3, 5), Set.of());

    private static Token key(long job) {
        return new Token(7, job);
    }

    private static Reserve want(long job, int slots) {
        return new Reserve(key(job), slots, 1_000, "ann");
    }

    private Reserved reserve(long job, int slots) {
        return ledger.reserve(job, want(job, slots), 0);
    }

    private void assertReserved(Reserved reserved, int granted, Refusal reason) {
        assertThat(reserved.granted()).isEqualTo(granted);
        assertThat(reserved.reason()).isEqualTo(reason);
    }

    /** Whatever a launcher believes: the agent itself refuses others. */
    @Test
    void aNodeThatHasJoinedAJobRefusesOthers() {
        SlotLedger joined = new SlotLedger(new SlotLimits(1, 2, 2), Set.of(), "june");
        assertReserved(joined.reserve(1, new Reserve(key(1), 2, 1_000, "ann"), 0), 0, Refusal.NOT_ALLOWED);
        assertReserved(joined.reserve(1, new Reserve(key(1), 2, 1_000, "ann", "july"), 0), 0, Refusal.NOT_ALLOWED);
        assertThat(joined.held()).isZero();
        assertReserved(joined.reserve(2, new Reserve(key(2), 2, 1_000, "ann", "june"), 0), 2, Refusal.NONE);
    }

    @Test
    void grantsUpToJobLimitAndRemainingSlots() {
        assertReserved(reserve(1, 9), 3, Refusal.FULL);
        assertThat(ledger.free()).isEqualTo(2);
        assertReserved(reserve(2, 3), 2, Refusal.FULL);
        assertThat(ledger.held()).isEqualTo(5);
        assertThat(ledger.free()).isZero();
    }

    @Test
    void admitsNoMoreThanJJobs() {
        assertReserved(reserve(1, 1), 1, Refusal.NONE);
        assertReserved(reserve(2, 1), 1, Refusal.NONE);
        assertThat(ledger.free()).isZero();
        Reserved third = reserve(3, 1);
        assertReserved(third, 0, Refusal.FULL);
        assertThat(third.detail()).isEqualTo("jobs: 2 of 2");
    }

    @Test
    void repeatsItsAnswerAndItsTime() {
        reserve(1, 2);
        reserve(2, 3);
        ledger.release(1, key(1));
        assertReserved(ledger.reserve(2, want(2, 3), 999 * MS), 3, Refusal.NONE);
        assertThat(ledger.expire(1_000 * MS)).isTrue();
        assertThat(ledger.jobs()).isZero();
        assertReserved(reserve(1, 5), 3, Refusal.FULL);
        assertReserved(reserve(1, 5), 3, Refusal.FULL);
    }

    @Test
    void confirmingFewerSlotsFreesTheOthers() {
        reserve(1, 3);
        assertThat(ledger.confirm(1, key(1), 1, 999 * MS)).isEqualTo(1);
        assertThat(ledger.confirm(1, key(1), 1, 999 * MS)).isEqualTo(1);
        assertThat(ledger.held()).isEqualTo(1);
        assertThat(ledger.untilExpiryNs(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(ledger.expire(2_000 * MS)).isFalse();
        assertThat(ledger.confirm(1, key(1), 3, 0)).isEqualTo(1);
        assertThat(ledger.confirm(1, key(1), 0, 0)).isZero();
        assertThat(ledger.jobs()).isZero();
    }

    @Test
    void slotsThatNobodyConfirmsAreFreeAfterTheirTime() {
        ledger.reserve(1, want(1, 3), -5);
        assertThat(ledger.untilExpiryNs(0)).isEqualTo(1_000 * MS - 5);
        assertThat(ledger.expire(1_000 * MS - 6)).isFalse();
        assertThat(ledger.confirm(1, key(1), 3, 1_000 * MS - 5)).isZero();
        assertThat(ledger.free()).isEqualTo(3);
        ledger.reserve(1, want(1, 3), Long.MAX_VALUE); // the clock wraps
        assertThat(ledger.expire(Long.MAX_VALUE)).isFalse();
        assertThat(ledger.expire(Long.MAX_VALUE + 999 * MS)).isFalse();
        assertThat(ledger.expire(Long.MAX_VALUE + 1_000 * MS)).isTrue();
    }

    @Test
    void aConfirmedJobMayAskForMoreWhichExpireAlone() {
        reserve(1, 3);
        ledger.confirm(1, key(1), 1, 0);
        assertReserved(reserve(1, 3), 3, Refusal.NONE);
        assertThat(ledger.slotsOf(1)).isEqualTo(3);
        assertThat(ledger.confirmedOf(1)).isEqualTo(1);
        assertThat(ledger.expire(1_000 * MS)).isTrue();
        assertThat(ledger.slotsOf(1)).isEqualTo(1);
        assertReserved(ledger.reserve(1, want(1, 2), 1_000 * MS), 2, Refusal.NONE);
        assertThat(ledger.confirm(1, key(1), 2, 1_000 * MS)).isEqualTo(2);
    }

    @Test
    void refusesTheKeyOfAnotherJobAndAnotherKeyOfAJob() {
        reserve(1, 1);
        Reserved stolen = ledger.reserve(2, want(1, 1), 0);
        assertReserved(stolen, 0, Refusal.NOT_ALLOWED);
        assertThat(stolen.detail()).isEqualTo("the key is another job's");
        assertReserved(ledger.reserve(1, want(2, 1), 0), 0, Refusal.NOT_ALLOWED);
        assertThat(ledger.confirm(1, key(2), 1, 0)).isZero();
        assertThat(ledger.release(1, key(2))).isFalse();
        assertThat(ledger.isKeyOf(1, key(2))).isFalse();
        assertThat(ledger.isKeyOf(1, key(1))).isTrue();
        assertThat(ledger.slotsOf(1)).isEqualTo(1);
    }

    @Test
    void onlyAllowedUsersReserve() {
        SlotLedger owned = new SlotLedger(new SlotLimits(1, 1, 1), Set.of("bob", "eve"));
        Reserved refused = owned.reserve(1, want(1, 1), 0);
        assertReserved(refused, 0, Refusal.NOT_ALLOWED);
        assertThat(refused.detail()).isEqualTo("the node's owner does not allow user ann");
        assertReserved(owned.reserve(1, new Reserve(key(1), 1, 1, "bob"), 0), 1, Refusal.NONE);
    }

    @Test
    void aDrainingNodeKeepsItsJobsAndTakesNoOther() {
        reserve(1, 1);
        ledger.drain(true);
        assertThat(ledger.free()).isZero();
        assertReserved(reserve(2, 1), 0, Refusal.DRAINING);
        assertReserved(reserve(1, 1), 1, Refusal.NONE);
        assertReserved(reserve(1, 2), 1, Refusal.DRAINING);
        assertThat(ledger.confirm(1, key(1), 1, 0)).isEqualTo(1);
        ledger.drain(false);
        assertReserved(reserve(2, 1), 1, Refusal.NONE);
    }

    @Test
    void limitsDeriveFromCoresOrOwnerSettings() {
        OptionalInt none = OptionalInt.empty();
        assertThat(SlotLimits.of(none, none, 4, 1)).isEqualTo(new SlotLimits(4, 4, 4));
        assertThat(SlotLimits.of(none, none, 3, 1.5)).isEqualTo(new SlotLimits(4, 4, 4));
        assertThat(SlotLimits.of(none, none, 1, 0.5)).isEqualTo(new SlotLimits(1, 1, 1));
        assertThat(SlotLimits.of(OptionalInt.of(2), OptionalInt.of(1), 4, 1)).isEqualTo(new SlotLimits(2, 1, 4));
        assertThat(SlotLimits.of(OptionalInt.of(1), OptionalInt.of(9), 4, 1)).isEqualTo(new SlotLimits(1, 9, 9));
        assertThatThrownBy(() -> SlotLimits.of(none, OptionalInt.of(0), 4, 1)).hasMessageStartingWith("4 jobs of 0 slots, 4 in all; expected");
        assertThatThrownBy(() -> SlotLimits.of(none, OptionalInt.of(4_000), 4, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** A slow ledger: one cell for each slot, searched as a whole each time. */
    private static final class CellLedger {
        private final SlotLimits limits;
        private final List<Cell> cells = new ArrayList<>();
        private boolean isDraining;

        /** A slot that a job holds; its key's lower half is its owner's number. */
        private static final class Cell {
            private final long job;
            private final Token key;
            private int want;
            private long expiresNs;
            private boolean isConfirmed;

            Cell(long job, Token key) {
                this.job = job;
                this.key = key;
            }
        }

        CellLedger(SlotLimits limits) {
            this.limits = limits;
        }

        private List<Cell> cellsOf(long job) {
            return cells.stream().filter(cell -> cell.job == job).toList();
        }

        int reserve(long job, Reserve message, long nowNs) {
            expire(nowNs);
            for (Cell cell : cells) {
                if (cell.key.equals(message.key()) != (cell.job == job)) {
                    return 0;
                }
            }
            List<Cell> own = cellsOf(job);
            boolean isNew = own.isEmpty();
            boolean isRepetition = !isNew && own.getFirst().want == message.want();
            Set<Long> jobs = new TreeSet<>(cells.stream().map(cell -> cell.job).toList());
            if (message.user().equals("eve") || isRepetition || isDraining || isNew && jobs.size() == limits.jobs()) {
                return message.user().equals("eve") ? 0 : own.size();
            }
            boolean isMore = false;
            for (int count = own.size(); count < message.want() && count < limits.slotsPerJob() && cells.size() < limits.slotsInAll(); count++) {
                cells.add(new Cell(job, message.key()));
                isMore = true;
            }
            for (Cell cell : cellsOf(job)) {
                if (isMore) {
                    cell.want = message.want();
                    cell.expiresNs = nowNs + message.ttlMs() * MS;
                }
            }
            return cellsOf(job).size();
        }

        int confirm(long job, Token key, int slots, long nowNs) {
            expire(nowNs);
            int kept = 0;
            for (Cell cell : cellsOf(job)) {
                if (!cell.key.equals(key)) {
                    return 0;
                }
                if (kept < slots) {
                    cell.isConfirmed = true;
                    kept++;
                } else {
                    cells.remove(cell);
                }
            }
            int count = kept;
            cellsOf(job).forEach(cell -> cell.want = count);
            return kept;
        }

        boolean release(long job, Token key) {
            return cells.removeIf(cell -> cell.job == job && cell.key.equals(key));
        }

        boolean expire(long nowNs) {
            List<Cell> due = cells.stream().filter(cell -> !cell.isConfirmed && nowNs >= cell.expiresNs).toList();
            cells.removeAll(due);
            for (Cell cell : due) {
                List<Cell> left = cellsOf(cell.job);
                left.forEach(other -> other.want = left.size());
            }
            return !due.isEmpty();
        }
    }

    /** Operations that were granted something, that were refused, and expiries. */
    private static final int[] tally = new int[3];

    @Test
    void agreesWithASlowLedgerOnRandomOperations() {
        int runs = Boolean.getBoolean("posthouse.long") ? 400 : 200;
        SeededRuns.each(runs, seed -> new ModelRun(new Random(seed)).run());
        SeededRuns.tally("granted", tally[0], runs * 20L);
        SeededRuns.tally("refused", tally[1], runs * 20L);
        SeededRuns.tally("expired", tally[2], runs * 2L);
    }

    private static final class ModelRun {
        private final Random random;
        private final SlotLedger ledger;
        private final CellLedger model;
        private long nowNs;

        ModelRun(Random random) {
            this.random = random;
            int slotsPerJob = 1 + random.nextInt(4);
            SlotLimits limits = new SlotLimits(1 + random.nextInt(4), slotsPerJob, slotsPerJob + random.nextInt(6));
            this.ledger = new SlotLedger(limits, Set.of("ann", "bob"));
            this.model = new CellLedger(limits);
        }

        void run() {
            for (int i = 0; i < 200; i++) {
                nowNs += random.nextInt(3) * MS;
                step();
                assertSame();
            }
        }

        private void step() {
            long job = 1 + random.nextInt(5);
            Token key = key(random.nextInt(8) == 0 ? 1 + random.nextInt(5) : job);
            int slots = random.nextInt(5);
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3, 4 -> {
                    Reserve message = new Reserve(key, slots + 1, 1 + random.nextInt(10), random.nextInt(10) == 0 ? "eve" : "ann");
                    Reserved reserved = ledger.reserve(job, message, nowNs);
                    assertThat(reserved.granted()).isEqualTo(model.reserve(job, message, nowNs));
                    assertThat(reserved.reason() == Refusal.NONE).isEqualTo(reserved.granted() >= message.want());
                    assertThat(ledger.reserve(job, message, nowNs)).as("the answer to a repetition").isEqualTo(reserved);
                    tally[reserved.granted() > 0 ? 0 : 1]++;
                }
                case 5, 6 -> assertThat(ledger.confirm(job, key, slots, nowNs)).isEqualTo(model.confirm(job, key, slots, nowNs));
                case 7 -> assertThat(ledger.release(job, key)).isEqualTo(model.release(job, key));
                case 8 -> {
                    boolean isExpired = ledger.expire(nowNs);
                    assertThat(isExpired).isEqualTo(model.expire(nowNs));
                    tally[2] += isExpired ? 1 : 0;
                }
                default -> {
                    model.isDraining = random.nextInt(4) == 0;
                    ledger.drain(model.isDraining);
                }
            }
        }

        private void assertSame() {
            int jobs = 0;
            for (long job = 1; job <= 5; job++) {
                List<CellLedger.Cell> cells = model.cellsOf(job);
                jobs += cells.isEmpty() ? 0 : 1;
                assertThat(ledger.slotsOf(job)).isEqualTo(cells.size()).isLessThanOrEqualTo(ledger.limits().slotsPerJob());
                assertThat(ledger.confirmedOf(job)).isEqualTo((int) cells.stream().filter(cell -> cell.isConfirmed).count());
            }
            assertThat(ledger.jobs()).isEqualTo(jobs).isLessThanOrEqualTo(ledger.limits().jobs());
            assertThat(ledger.held()).isEqualTo(model.cells.size()).isLessThanOrEqualTo(ledger.limits().slotsInAll());
            long expiresNs = model.cells.stream().filter(cell -> !cell.isConfirmed).mapToLong(cell -> cell.expiresNs).min().orElse(0);
            assertThat(ledger.untilExpiryNs(nowNs)).isEqualTo(expiresNs == 0 ? Long.MAX_VALUE : Math.max(0, expiresNs - nowNs));
        }
    }
}
