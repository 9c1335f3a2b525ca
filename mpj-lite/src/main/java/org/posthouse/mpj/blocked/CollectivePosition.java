package org.posthouse.mpj.blocked;

import java.util.Locale;

/**
 * The position of a rank in the collectives of one communicator, for the diagnosis of calls that do not match. Entering
 * and leaving cost no message and no clock. A watch checks now and then whether the rank has moved (docs/wire.md,
 * collectives that do not match). Guarded by itself.
 */
public final class CollectivePosition {
    /** Receives notices of a position that does not change. */
    public interface Watch {
        /**
         * The position has not changed for long. Called at each look, with the position's monitor, which comes before
         * the endpoint's lock.
         *
         * @param again whether to repeat the report
         */
        void stays(CollectivePosition collectivePosition, boolean again);

        /** The position changes again after {@link #stays}. Called with the same monitor. */
        void goesOn(CollectivePosition collectivePosition);

        /** The rank leaves with an error, and {@link #stays} was not called. Called with the same monitor. */
        void fails(CollectivePosition collectivePosition);
    }

    /** Looks at one position before it counts as a stay: two whole intervals of the watch. */
    public static final int LOOKS = 3;

    /** Looks between later reports: the relay may not have been able to judge the earlier ones. */
    public static final int LOOKS_AGAIN = 5;

    private final Watch watch;
    private final int context;
    private final long group;

    /** Number of the collective that it is in, or was in last: the low 32 bits. */
    private int number;

    private String call;
    private int root;

    /** Whether the program may do something else meanwhile. */
    private boolean background;

    private int lookedAt;
    private int looks;
    private boolean told;

    /**
     * @param worldRanks the communicator's members in their order
     * @param first number of collectives that belong to others outside this position's group
     */
    public CollectivePosition(Watch watch, int context, int[] worldRanks, int first) {
        number = first;
        this.watch = watch;
        this.context = context;
        long hash = worldRanks.length + 31L * first;
        for (int member : worldRanks) {
            hash = hash * 0x9E3779B97F4A7C15L + member + 1;
        }
        group = hash;
    }

    /**
     * Enters the next collective.
     *
     * @param root -1 if there is none
     * @param background whether the program has started the collective and continues meanwhile
     */
    public synchronized void enter(String call, int root, boolean background) {
        number++;
        this.call = call;
        this.root = root;
        this.background = background;
    }

    /** Leaves the collective with an error. Others may wait for the rank in another call, and are told the reason. */
    public synchronized void leaveFailed() {
        if (!told) {
            watch.fails(this);
        }
        leave();
    }

    /** Leaves the collective. */
    public synchronized void leave() {
        call = null;
        if (told) {
            told = false;
            watch.goesOn(this);
        }
    }

    /** One look of the watch. */
    public synchronized void look() {
        if (call == null || lookedAt != number) {
            lookedAt = number;
            looks = call == null ? 0 : 1;
        } else if (++looks >= LOOKS) {
            told = true;
            watch.stays(this, (looks - LOOKS) % LOOKS_AGAIN == 0);
        }
    }

    int context() {
        return context;
    }

    long group() {
        return group;
    }

    /** Number of collectives so far: the low 32 bits. */
    public synchronized int number() {
        return number;
    }

    /** Continues where another process of the rank had made this number of collectives. */
    public synchronized void goOn(int collectives) {
        number = collectives;
    }

    boolean isInBackground() {
        return background;
    }

    /** The collective that the rank is in. Both spellings of a call, which match, have the same text. */
    String description() {
        String name = call.replace("_", "").toLowerCase(Locale.ROOT);
        return root < 0 ? name : name + ", root " + root;
    }
}
