package org.posthouse.relay;

import org.posthouse.mpj.Hardship;

/** A fault that a relay of a {@link CrashWorld} has, to see that the world finds it. */
enum PlantedFault {
    NONE(false),
    /** Followers are told what the disk does not have. */
    UNSAFE_ITEM(false),
    /** A process is told that it leads, and nothing is logged. */
    UNLOGGED_PROMOTION(false),
    /** A follower drops messages that the disk does not have. */
    EARLY_CONFIRMATION(false),
    /** One that leads is told the end of its history where more follows. */
    EARLY_END(false),
    /** Ranks are told of a death, and nothing is logged. */
    UNLOGGED_DEATH(true),
    /** Ranks are told of a revocation, and nothing is logged. */
    UNLOGGED_REVOCATION(true),
    /** Ranks are told what was agreed on, and nothing is logged. */
    UNLOGGED_AGREEMENT(true),
    /** Ranks are told of a death that the disk does not have. */
    EARLY_DEATH(true),
    /** Ranks are told of a revocation that the disk does not have. */
    EARLY_REVOCATION(true),
    /** Ranks are told what was agreed on, which the disk does not have. */
    EARLY_AGREEMENT(true);

    private final boolean isOfFailures;

    PlantedFault(boolean isOfFailures) {
        this.isOfFailures = isOfFailures;
    }

    /** A world in which this can be found: one of ranks that die for good, or of followers. */
    CrashWorld world(long seed) {
        return new CrashWorld(isOfFailures ? Hardship.HARD : Hardship.REPLICATED_ON_DISKS, seed, false, true, false, isOfFailures);
    }
}
