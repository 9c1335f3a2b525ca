package org.posthouse.core;

import java.util.Random;

/** What goes wrong in a world: connections of ranks break, some unnoticed, and relays are killed and start again. */
final class SimTrouble {
    private static final int UNTIL = 1_200;

    private final CoreWorld world;
    private final Random random;
    private int count;

    SimTrouble(CoreWorld world, Random random) {
        this.world = world;
        this.random = random;
    }

    int count() {
        return count;
    }

    void plan() {
        int cutsMax = random.nextInt(6);
        for (int rank = 0; rank < world.ranks(); rank++) {
            int number = rank;
            for (int cuts = random.nextInt(cutsMax + 1); cuts > 0; cuts--) {
                world.clock().at(random.nextInt(UNTIL), () -> cut(number));
            }
        }
        int killsMax = random.nextInt(4);
        for (int relay = 0; relay < world.relays(); relay++) {
            int number = relay;
            for (int kills = random.nextInt(killsMax + 1); kills > 0; kills--) {
                world.clock().at(random.nextInt(UNTIL), () -> kill(number));
            }
        }
    }

    private void cut(int rank) {
        SimLine line = world.rank(rank).line();
        if (line.stage() == SimLine.Stage.AWAY || world.rank(rank).isFinalized()) {
            return;
        }
        count++;
        SimRelay.Port port = line.port();
        line.cut();
        if (port != null && random.nextInt(3) > 0) {
            world.clock().after(random.nextInt(60), port::ended);
        }
        redial(rank);
    }

    private void redial(int rank) {
        world.clock().after(1 + random.nextInt(100), () -> world.connect(rank));
    }

    private void kill(int relay) {
        if (!world.isAlive(relay)) {
            return;
        }
        count++;
        world.kill(relay);
        for (int rank = 0; rank < world.ranks(); rank++) {
            SimLine line = world.rank(rank).line();
            if (world.relayOfRank(rank) == relay && line.stage() != SimLine.Stage.AWAY && !world.rank(rank).isFinalized()) {
                line.cut();
                redial(rank);
            }
        }
        world.clock().after(random.nextInt(200), () -> world.restart(relay));
    }
}
