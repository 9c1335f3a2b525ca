package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.Hardship;
import org.posthouse.mpj.Stage;
import org.posthouse.testkit.SeededRuns;

/**
 * Promises P1 to P5 of everything between a program and a relay's log, over thousands of random programs in worlds in which
 * anything may die at any moment. {@code -Dposthouse.seed=N} runs one seed, and shows what happened in it; {@code -Dposthouse.seeds=N} runs
 * as many.
 */
final class CrashWorldTest {
    private static final int SEEDS = Integer.getInteger("posthouse.seeds", Boolean.getBoolean("posthouse.long") ? 1_000 : 100);

    /** Whatever dies, programs see and say what they would have if nothing had. */
    @Test
    void programsSeeTheSameAfterProcessDeaths() {
        nothingHasDied(Hardship.ORDINARY, SEEDS);
    }

    /** The same where hosts lose their power again and again. */
    @Test
    void programsSeeTheSameAfterPowerLossOfHosts() {
        nothingHasDied(Hardship.HARD, SEEDS / 5);
    }

    /** Processes believe what they are told of their past: their relay's host must not lose it any more (ADR 19). */
    @Test
    void aPowerCutRightBehindAnAnswerTakesNothingBack() {
        nothingHasDied(Hardship.ANSWERED, SEEDS / 5);
    }

    /** They know then where they go on, or do not, and their relay's disk may not give the same image the next time. */
    @Test
    void aProcessThatIsInterruptedGoesOnWhereItWas() {
        nothingHasDied(Hardship.INTERRUPTED, SEEDS / 5);
    }

    /** The mode of a relay changes again and again, and its ranks are on their way from one connection to the next when something dies. */
    @Test
    void programsSeeTheSameAfterDeathsDuringModeChanges() {
        nothingHasDied(Hardship.MOVING, SEEDS / 10);
    }

    /** Relays die and come back on both sides of links that are cut for as long as that lasts. */
    @Test
    void programsSeeTheSameAfterRelayDeathsDuringLinkCuts() {
        nothingHasDied(Hardship.CUT_OFF, SEEDS / 10);
    }

    /** A job with a folder stands still where a log takes nothing more, and goes on when its relay was started again: what that has missed the others have kept. */
    @Test
    void messagesMissedByBrokenLogAreSentAgain() {
        nothingHasDied(Hardship.BROKEN, SEEDS / 5);
        nothingHasDied(Hardship.BROKEN, SEEDS / 10, true);
    }

    /** A launcher dies with all its processes; of what it has not written down the next one knows nothing. */
    @Test
    void anotherLauncherGoesOn() {
        nothingHasDied(Hardship.LEFT, SEEDS / 5);
        int[] forgottenEnds = new int[1];
        SeededRuns.each(SEEDS / 10, seed -> forgottenEnds[0] += run(Hardship.LEFT, seed, true).forgottenEnds());
        SeededRuns.tally("ranks that were started again behind their end", forgottenEnds[0], SEEDS / 50);
    }

    /** Who knows that a send was taken back dies, and its relay with it; the receiver is told that it does not come. */
    @Test
    void cancelledSendsStayCancelledAfterProcessDeaths() {
        int[] takenBack = new int[1];
        SeededRuns.each(SEEDS / 10, seed -> {
            CrashWorld world = run(Hardship.TAKING_BACK, seed);
            for (int rank = 0; rank < world.ranks(); rank++) {
                takenBack[0] += world.diary(rank).unsent();
            }
        });
        SeededRuns.tally("sends that were taken back", takenBack[0], SEEDS / 2);
    }

    /** A message is offered for want of credit, or sent, as there is credit or not: of one that is begun again the other way no byte is lost, nor comes twice. */
    @Test
    void messageWithoutCreditArrivesOnceHoweverItIsRestarted() {
        int[] creditless = new int[1];
        SeededRuns.each(SEEDS / 5, seed -> creditless[0] += run(Hardship.FLOODED, seed).creditless());
        SeededRuns.tally("messages that were offered for want of credit", creditless[0], SEEDS / 2);
    }

    /** One process of a rank goes on behind a send that was taken back, dies with no image that can be read, and the next comes to that send again. */
    @Test
    void seedsThatHaveFoundFaults() {
        run(Hardship.ORDINARY, 11_404_536);
        run(Hardship.BROKEN, 1697); // A core drops what another one of its relay has passed on, as the log is broken, and that takes it for safe.
        lose(Hardship.ORDINARY, 227); // A relay that is restarted gets an offer in a revoked communicator, and not the message before it, which it had dropped.
        lose(Hardship.HARD, 243); // A rank has sent a message whole, its relay loses that with its power, and the receiver dies before it has it again.
        lose(Hardship.ORDINARY, 105); // A program that knows that the one before it in the ring is dead waits for a message of any source: all are dead or wait.
        lose(Hardship.MOVING, 170); // A rank hears of a death while it leaves its connection, and offers something to the dead there.
        lose(Hardship.BLACKOUTS, 2062); // The next process takes a probe that had failed for a wait that had.
    }

    /** Two jobs share relays that die; what one of them sends waits for disks, and what the other one sends overtakes it. */
    @Test
    void jobsOfDifferentDurabilityDoNotAffectEachOther() {
        nothingHasDied(Hardship.ORDINARY, SEEDS / 5, true);
        nothingHasDied(Hardship.CUT_OFF, SEEDS / 10, true);
    }

    /** Processes of replicated ranks die, their leaders at any moment; each follower sees a part of what its rank sees. */
    @Test
    void followersObserveWhatTheirRankDoesAndGoOnInItsPlace() {
        int[] promotions = new int[1];
        nothingHasDied(Hardship.REPLICATED, SEEDS / 2, false, world -> promotions[0] += world.promotions());
        SeededRuns.tally("followers that have led", promotions[0], SEEDS / 2);
    }

    /** The same without any log: the relays, which live, have the histories in memory. */
    @Test
    void followersGoOnInTheirRanksPlaceWithoutALog() {
        int[] promotions = new int[1];
        int[] compared = new int[1];
        int seeds = SEEDS / 2;
        SeededRuns.each(seeds, seed -> {
            CrashWorld world = run(Hardship.REMEMBERED, seed);
            promotions[0] += world.promotions();
            if (world.isDeterministic()) {
                CrashWorld calm = new CrashWorld(Hardship.REMEMBERED, seed, false, false, false);
                calm.run();
                assertThat(marks(world)).as("what ranks have seen at the end, and without any fault").isEqualTo(marks(calm));
                compared[0]++;
            }
        });
        SeededRuns.tally("followers that have led", promotions[0], seeds);
        SeededRuns.tally("programs of which each run is the same", compared[0], seeds / 8);
    }

    /** Followers that are slow, or start late, hold up those that send to their ranks, or are dropped; and all come to their ends. */
    @Test
    void ranksGoOnWhereThereIsLittleMemoryForTheirHistories() {
        int[] refused = new int[1];
        SeededRuns.each(SEEDS / 2, seed -> {
            CrashWorld world = new CrashWorld(Hardship.REMEMBERED_LARGE, seed, false, false, SeededRuns.isOne()).remembering(1);
            world.run();
            refused[0] += world.lostFollowers();
            if (world.isDeterministic()) {
                CrashWorld ample = new CrashWorld(Hardship.REMEMBERED_LARGE, seed, false, false, false);
                ample.run();
                assertThat(marks(world)).as("what ranks have seen at the end, and with ample memory").isEqualTo(marks(ample));
            }
        });
        SeededRuns.tally("followers that were dropped or could not begin", refused[0], 1);
    }

    /** What followers know no host forgets. */
    @Test
    void followersGoOnInTheirRanksPlaceAlsoWhereHostsLoseTheirPower() {
        int seeds = SEEDS / 5;
        int[] promotions = new int[1];
        nothingHasDied(Hardship.REPLICATED_ON_DISKS, seeds, false, world -> promotions[0] += world.promotions());
        SeededRuns.tally("followers that have led", promotions[0], seeds);
    }

    /** Ranks die for good, at any moment, and others are started again: they see the same errors in the same calls, and agree on the same. */
    @Test
    void programsSurviveDeathsAndSeeThemAgain() {
        int[] dead = new int[1];
        for (Hardship hardship : List.of(Hardship.ORDINARY, Hardship.MOVING, Hardship.CUT_OFF, Hardship.HARD)) {
            SeededRuns.each(Math.min(SEEDS / 2, 100), seed -> dead[0] += lose(hardship, seed));
        }
        SeededRuns.tally("ranks that have died for good", dead[0], Math.min(SEEDS, 100));
    }

    /** The sites lose their power at once: what a receiver's relay has forgotten of a message its sender has seen, and it does not see it otherwise. */
    @Test
    void programsSurviveDeathsAndBlackouts() {
        int[] dead = new int[1];
        SeededRuns.each(SEEDS, seed -> dead[0] += lose(Hardship.BLACKOUTS, seed));
        SeededRuns.tally("ranks that have died for good", dead[0], SEEDS);
    }

    private static int lose(Hardship hardship, long seed) {
        CrashWorld world = new CrashWorld(hardship, seed, false, true, SeededRuns.isOne(), true);
        try {
            world.run();
        } catch (RuntimeException | AssertionError e) {
            CrashWorld again = new CrashWorld(hardship, seed, false, true, true, true);
            try {
                again.run();
            } catch (RuntimeException | AssertionError same) {
                throw new AssertionError(hardship + ": " + e.getMessage() + "\n" + again.trace(), e);
            }
            throw new AssertionError("it does not fail when it is run again: something in it is not the seed's", e);
        }
        return world.dead();
    }

    @Test
    void allOfItAtOnce() {
        nothingHasDied(Hardship.WORST, SEEDS / 10);
    }

    private static void nothingHasDied(Hardship hardship, int seeds) {
        nothingHasDied(hardship, seeds, false);
    }

    private static void nothingHasDied(Hardship hardship, int seeds, boolean isShared) {
        nothingHasDied(hardship, seeds, isShared, world -> {});
    }

    private static void nothingHasDied(Hardship hardship, int seeds, boolean isShared, Consumer<CrashWorld> tally) {
        int[] troubles = new int[1];
        int[] compared = new int[1];
        int[] blocked = new int[1];
        int[] unasked = new int[1];
        int[] unaskedLong = new int[1];
        int[] tooLong = new int[1];
        SeededRuns.each(seeds, seed -> {
            CrashWorld world = run(hardship, seed, isShared);
            tally.accept(world);
            troubles[0] += world.troubles();
            blocked[0] += world.blocked();
            unasked[0] += world.unasked();
            unaskedLong[0] += world.unaskedLong();
            tooLong[0] += world.tooLong();
            if (world.isDeterministic()) {
                CrashWorld calm = new CrashWorld(hardship, seed, isShared, false, false);
                calm.run();
                assertThat(marks(world)).as("what ranks have seen at the end, and without any fault").isEqualTo(marks(calm));
                compared[0]++;
            }
        });
        SeededRuns.tally("kills and cuts", troubles[0], 3 * seeds);
        SeededRuns.tally("words of ranks that are blocked in a collective", blocked[0], seeds);
        SeededRuns.tally("messages that ran ahead", unasked[0], seeds);
        SeededRuns.tally("long ones of them", unaskedLong[0], seeds / 25);
        SeededRuns.tally("messages that did not fit", tooLong[0], seeds);
        SeededRuns.tally("programs of which each run is the same", compared[0], isShared ? seeds / 40 : seeds / 8);
    }

    /** A seed that fails is run again, to show what happened. */
    private static CrashWorld run(Hardship hardship, long seed) {
        return run(hardship, seed, false);
    }

    private static CrashWorld run(Hardship hardship, long seed, boolean isShared) {
        CrashWorld world = new CrashWorld(hardship, seed, isShared, true, SeededRuns.isOne());
        try {
            world.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + story(hardship, seed, isShared), e);
        }
        if (SeededRuns.isOne()) {
            System.out.println(world.trace());
        }
        return world;
    }

    private static String story(Hardship hardship, long seed, boolean isShared) {
        CrashWorld again = new CrashWorld(hardship, seed, isShared, true, true);
        try {
            again.run();
            return "it does not fail when it is run again: something in it is not the seed's";
        } catch (RuntimeException | AssertionError e) {
            return again.trace();
        }
    }

    private static List<Long> marks(CrashWorld world) {
        List<Long> marks = new ArrayList<>();
        for (int rank = 0; rank < world.ranks(); rank++) {
            marks.add(world.diary(rank).mark());
        }
        return marks;
    }

    /** P8: all sites are cut off from each other for ten minutes, and all that it costs is the time. */
    @Test
    void tenMinutesWithoutLinksCostNothingElse() {
        long ticks = TimeUnit.MINUTES.toMillis(10) * Stage.TICKS_PER_MS;
        int[] waited = new int[1];
        SeededRuns.each(SEEDS / 5, seed -> {
            CrashWorld calm = new CrashWorld(Hardship.ORDINARY, seed, false, false, false);
            if (calm.hosts().size() == 1 || !calm.isDeterministic()) {
                return; // There are no links; or its ranks poll, which takes ten minutes indeed.
            }
            calm.run();
            CrashWorld world = new CrashWorld(Hardship.ORDINARY, seed, false, false, SeededRuns.isOne()).cutFor(ticks);
            world.run();
            assertThat(marks(world)).as("what ranks have seen at the end, and without a cut").isEqualTo(marks(calm));
            for (int rank = 0; rank < world.ranks(); rank++) {
                assertThat(world.process(rank).incarnation()).as("processes of rank " + rank).isEqualTo(1);
            }
            waited[0] += world.now() > ticks ? 1 : 0;
        });
        SeededRuns.tally("jobs that the cut has held up", waited[0], SEEDS / 50);
    }

    @Test
    void oneSeedIsOneRun() {
        for (long seed = 1; seed <= 20; seed++) {
            CrashWorld first = new CrashWorld(Hardship.ORDINARY, seed, false, true, false);
            first.run();
            CrashWorld second = new CrashWorld(Hardship.ORDINARY, seed, false, true, false);
            second.run();
            assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
            assertThat(marks(second)).isEqualTo(marks(first));
        }
    }
}
