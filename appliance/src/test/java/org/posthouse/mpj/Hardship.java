package org.posthouse.mpj;

/**
 * How hard a simulated world is on its job. Each draws the same numbers of a seed, and makes something else of them.
 *
 * @param powerCuts whether the job is to survive hosts, and hosts lose their power whenever a relay dies; if not, some jobs and now and then
 * @param largeAlways whether every program sends large messages; if not, one in six
 * @param savesAlways whether every program saves after each phase; if not, two in three, after one phase in three
 * @param strikesMin fewest things that go wrong
 * @param strikesSpread how many different counts of them there are
 * @param pauseTicksMin shortest of the longest pauses between two
 * @param pauseTicksSpread how many different ones of those there are
 * @param strikeKinds how many numbers the die has for what goes wrong: the first eight are for ranks, connections and links, all others kill relays
 * @param powerCutsBehindAnswers how often a host loses its power right behind what its relay tells a process of its past
 * @param breaksAtPrologueEnds how often a process loses its connection as it is told where it goes on behind its prologue
 * @param switches how often a relay changes its mode, so that its ranks are asked to connect again
 * @param cutTicksMax for how long at most all links are cut, soon after the start; 0: they are not
 * @param fullLogs how often a relay's log has no room for a while, so that senders are held
 * @param brokenLogs how often a relay's log takes nothing, or its disk fails a sync, so that jobs, which all have a folder then, stand still until it is started again
 * @param mistakes how often a process is started in the place of another that only seems dead
 * @param dyingInFour how many of four ranks die with their relay
 * @param takesBack whether programs do little else than take sends back, and there is little credit, so that much can be
 * @param longImages whether images are of several pieces, and some longer than what may be on its way at once
 * @param floods whether ranks send more at once than there is credit for, of which there is little
 * @param launchersDying how often the launcher of a job dies with all its processes, and another goes on with what its folder has
 * @param longPrologues whether anything may come before programs ask whether they are restored
 * @param processes most processes of a rank at a time: one leads, the others follow
 * @param blackouts how often all hosts lose their power at once
 * @param remembers whether nothing is logged, and the followers read the memory of their relays, which do not die then
 */
public record Hardship(
        boolean powerCuts,
        boolean largeAlways,
        boolean savesAlways,
        int strikesMin,
        int strikesSpread,
        int pauseTicksMin,
        int pauseTicksSpread,
        int strikeKinds,
        int powerCutsBehindAnswers,
        int breaksAtPrologueEnds,
        int switches,
        int cutTicksMax,
        int fullLogs,
        int brokenLogs,
        int mistakes,
        int dyingInFour,
        boolean takesBack,
        boolean longImages,
        boolean floods,
        int launchersDying,
        boolean longPrologues,
        int processes,
        int blackouts,
        boolean remembers) {
    /** Some of everything. */
    public static final Hardship ORDINARY =
            new Hardship(false, false, false, 1, 8, 50, 600, 10, 0, 0, 0, 0, 0, 0, 0, 1, false, false, false, 0, false, 1, 0, false);

    /** One power cut after the other, with much under way and many checkpoints. */
    public static final Hardship HARD = new Hardship(true, true, true, 3, 12, 30, 300, 20, 0, 0, 0, 0, 0, 0, 0, 1, false, false, false, 0, false, 1, 0, false);

    /** Relays and hosts live until they have told a process of its past. */
    public static final Hardship ANSWERED =
            new Hardship(true, false, false, 1, 8, 50, 600, 8, 4, 0, 0, 0, 0, 0, 0, 1, false, false, false, 0, false, 1, 0, false);

    /** Processes die, and lose their connections as they hear where they go on. */
    public static final Hardship INTERRUPTED =
            new Hardship(false, false, true, 3, 8, 50, 600, 4, 0, 12, 0, 0, 0, 0, 0, 1, false, true, false, 0, false, 1, 0, false);

    /** Ranks are always on their way from one connection to the next, while they, relays and hosts die. */
    public static final Hardship MOVING =
            new Hardship(false, false, false, 3, 8, 50, 400, 12, 0, 0, 12, 0, 0, 0, 0, 1, false, false, false, 0, false, 1, 0, false);

    /** The sites are cut off from each other for longer than most of it lasts. */
    public static final Hardship CUT_OFF =
            new Hardship(false, false, false, 3, 8, 30, 300, 16, 0, 0, 0, 4_000, 0, 0, 0, 1, false, false, false, 0, false, 1, 0, false);

    /** All of it at once. */
    public static final Hardship WORST =
            new Hardship(true, false, true, 3, 12, 30, 300, 20, 2, 4, 8, 3_000, 8, 2, 6, 1, false, true, false, 0, false, 1, 0, false);

    /** A log breaks while the other relays go on, log checkpoints and come to their ends; ranks are left alone, or killed with all others and started again. */
    public static final Hardship BROKEN =
            new Hardship(false, false, true, 2, 6, 50, 400, 9, 0, 0, 0, 0, 0, 3, 0, 1, false, false, false, 0, false, 1, 0, false);

    /** What was taken back must stay so, though relays die with the ranks that know of it. */
    public static final Hardship TAKING_BACK =
            new Hardship(false, false, true, 4, 10, 40, 400, 12, 0, 0, 0, 0, 0, 0, 0, 3, true, false, false, 0, false, 1, 0, false);

    /** What finds no credit is offered, and asked for before it is received; or sent another way by the process that comes after a death. */
    public static final Hardship FLOODED =
            new Hardship(false, false, true, 4, 10, 40, 400, 12, 0, 0, 0, 0, 4, 0, 0, 2, false, false, true, 0, false, 1, 0, false);

    /** Launchers die, and what they have not written down of ranks that have ended is gone with them. */
    public static final Hardship LEFT = new Hardship(false, false, false, 3, 8, 50, 400, 12, 0, 0, 0, 0, 2, 0, 0, 1, false, false, false, 4, true, 1, 0, false);

    /** Ranks have two or three processes, which die, lose their connections, or seem dead, and so do relays. */
    public static final Hardship REPLICATED =
            new Hardship(false, false, false, 3, 12, 40, 400, 11, 0, 0, 2, 0, 0, 0, 2, 1, false, false, false, 0, false, 3, 0, false);

    /** The same, but that nothing is logged, and relays live. */
    public static final Hardship REMEMBERED =
            new Hardship(false, false, false, 3, 12, 40, 400, 8, 0, 0, 2, 0, 0, 0, 2, 1, false, false, false, 0, false, 3, 0, true);

    /** The same with large messages. */
    public static final Hardship REMEMBERED_LARGE =
            new Hardship(false, true, false, 3, 12, 40, 400, 8, 0, 0, 2, 0, 0, 0, 2, 1, false, false, false, 0, false, 3, 0, true);

    /** The same, and hosts lose their power. */
    public static final Hardship REPLICATED_ON_DISKS =
            new Hardship(true, false, false, 3, 12, 30, 300, 16, 0, 0, 2, 0, 0, 0, 2, 1, false, false, false, 0, false, 3, 0, false);

    /** All hosts lose their power at once, and what each of them has forgotten no other one remembers. */
    public static final Hardship BLACKOUTS =
            new Hardship(true, true, false, 1, 6, 50, 600, 10, 0, 0, 0, 0, 0, 0, 0, 4, false, false, false, 0, false, 1, 6, false);
}
