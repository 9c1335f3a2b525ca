package org.posthouse.relay;

import java.util.Random;
import org.posthouse.mpj.Cable;
import org.posthouse.mpj.Hardship;
import org.posthouse.mpj.SimProcess;

/** What goes wrong in a {@link CrashWorld}: one thing after the other, at times that are the seed's, while the job runs. */
final class CrashTrouble {
    /** In so many ticks a process hears what it is told, or some of it. */
    private static final int HEARING_TICKS = 25;

    /** Between two changes of modes, at most: a rank takes some of them to connect again. */
    private static final int SWITCH_TICKS = 150;

    /** When the links are cut at the latest. */
    private static final int CUT_TICKS_FROM = 600;

    /** When a log is full, or a process is taken for dead, at the latest. */
    private static final int OTHERS_TICKS_UNTIL = 2_500;

    /** For how long a log is full at most. */
    private static final int FULL_TICKS = 400;

    /** For how long a log takes nothing at most, and after how long its relay is started again. */
    private static final int BROKEN_TICKS = 1_500;

    private final Hardship hardship;
    private final CrashWorld world;
    private final Random random;
    private int powerCutsBehindAnswersLeft;
    private int breaksAtPrologueEndsLeft;
    private int left;
    private int switchesLeft;
    private int pauseMax;
    private int count;

    CrashTrouble(Hardship hardship, CrashWorld world) {
        this.hardship = hardship;
        this.world = world;
        this.random = world.random();
        powerCutsBehindAnswersLeft = hardship.powerCutsBehindAnswers();
        breaksAtPrologueEndsLeft = hardship.breaksAtPrologueEnds();
    }

    int count() {
        return count;
    }

    void plan() {
        left = hardship.strikesMin() + random.nextInt(hardship.strikesSpread());
        pauseMax = hardship.pauseTicksMin() + random.nextInt(hardship.pauseTicksSpread());
        next();
        switchesLeft = hardship.switches();
        switchNext();
        for (int times = hardship.fullLogs(); times > 0; times--) {
            world.stage().after(random.nextInt(OTHERS_TICKS_UNTIL), () -> randomHost().fill(1 + random.nextInt(FULL_TICKS)));
        }
        for (int times = hardship.brokenLogs(); times > 0; times--) {
            world.stage().after(random.nextInt(OTHERS_TICKS_UNTIL), () -> breakLog(randomHost()));
        }
        for (int times = hardship.launchersDying(); times > 0; times--) {
            SimJob job = world.jobs().get(random.nextInt(world.jobs().size()));
            world.stage().after(random.nextInt(OTHERS_TICKS_UNTIL), job::leave);
        }
        for (int times = hardship.blackouts(); times > 0; times--) {
            world.stage().after(random.nextInt(OTHERS_TICKS_UNTIL), this::blackOut);
        }
        for (int times = hardship.mistakes(); times > 0; times--) {
            world.stage().after(random.nextInt(OTHERS_TICKS_UNTIL), () -> world.replace(random.nextInt(world.ranks())));
        }
        if (hardship.cutTicksMax() > 0) {
            world.stage().after(random.nextInt(CUT_TICKS_FROM), () -> world.cutLinks(random.nextInt(hardship.cutTicksMax())));
        }
    }

    private void switchNext() {
        if (switchesLeft-- > 0) {
            world.stage().after(1 + random.nextInt(SWITCH_TICKS), () -> {
                if (!world.isOver()) {
                    count++;
                    randomHost().switchMode();
                    switchNext();
                }
            });
        }
    }

    /** A relay has begun to tell a process of its past. */
    void onAnswer(SimHost host) {
        if (powerCutsBehindAnswersLeft > 0) {
            powerCutsBehindAnswersLeft--;
            count++;
            host.after(1 + random.nextInt(world.diskDelayMax()), () -> world.kill(host, true));
        }
    }

    /** A process is told where it goes on. */
    void onPrologueEnd(int rank) {
        if (breaksAtPrologueEndsLeft > 0) {
            breaksAtPrologueEndsLeft--;
            count++;
            world.stage().after(1 + random.nextInt(HEARING_TICKS), () -> cut(rank));
        }
    }

    private void next() {
        world.stage().after(random.nextInt(pauseMax), () -> {
            if (!world.isOver() && left-- > 0) {
                count++;
                strike();
                next();
            }
        });
    }

    private void strike() {
        int rank = random.nextInt(world.ranks());
        switch (random.nextInt(hardship.strikeKinds())) {
            case 0, 1, 2 -> world.kill(rank);
            case 3 -> killAgain(rank, 1 + random.nextInt(4));
            case 4 -> killAll();
            case 5, 6 -> cut(rank);
            case 7 -> holdLinks();
            default -> killRelay();
        }
    }

    /** Once more while it does again what it did before. */
    private void killAgain(int rank, int times) {
        world.kill(rank);
        if (times > 1) {
            world.stage().after(20 + random.nextInt(300), () -> killAgain(rank, times - 1));
        }
    }

    private void killAll() {
        for (int rank = 0; rank < world.ranks(); rank++) {
            if (random.nextInt(3) > 0) {
                world.kill(rank);
            }
        }
    }

    private void cut(int rank) {
        SimProcess process = world.process(rank);
        Cable cable = process == null || !process.isAlive() ? null : process.cable();
        if (cable != null) {
            world.trace("rank " + rank + " loses its connection");
            cable.cut();
        }
    }

    /** Some time later the relay is started again. */
    private void breakLog(SimHost host) {
        if (world.isOver() || !host.isAlive()) {
            return;
        }
        count++;
        if (world.waitsForDisks() && random.nextInt(3) == 0) {
            host.failSync();
        } else {
            host.breakLog(1 + random.nextInt(BROKEN_TICKS));
        }
        host.after(1 + random.nextInt(BROKEN_TICKS), () -> world.kill(host, losesPower()));
    }

    private boolean losesPower() {
        return hardship.powerCuts() || world.mayLosePower() && random.nextBoolean();
    }

    /** All hosts lose their power, and the processes on them are gone. */
    private void blackOut() {
        if (world.isOver()) {
            return;
        }
        count++;
        world.hosts().stream().filter(SimHost::isAlive).forEach(host -> world.kill(host, true));
        for (int rank = 0; rank < world.ranks(); rank++) {
            world.kill(rank);
        }
    }

    private void holdLinks() {
        SimHost from = randomHost();
        for (SimHost to : world.hosts()) {
            if (from != to && from.isAlive() && to.isAlive()) {
                world.waysBetween(from, to).forEach(way -> way.hold(random.nextInt(600)));
            }
        }
    }

    private SimHost randomHost() {
        return world.hosts().get(random.nextInt(world.hosts().size()));
    }

    private void killRelay() {
        SimHost host = randomHost();
        if (!host.isAlive()) {
            return;
        }
        world.kill(host, losesPower());
        for (int rank = 0; rank < world.ranks(); rank++) {
            if (world.relayOfCore(world.coreOf(rank)) == host.number() && random.nextInt(4) < hardship.dyingInFour()) {
                world.kill(rank);
            }
        }
    }
}
