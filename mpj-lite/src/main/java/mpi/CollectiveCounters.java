package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The communicators that the program has, and how far this process is with the collectives of each: what an image needs of them.
 * Thread-safe.
 */
final class CollectiveCounters {
    /** Collectives that share a number share a context, and count in places of their own. */
    private record Key(int id, int firstTag, boolean inter) {}

    private final Map<Key, Collectives> there = new LinkedHashMap<>();
    private boolean opened;

    /** Those at the end of the prologue; null before that. */
    private Set<Collectives> prologue;

    /** Number of communicators that were made since the prologue and still exist. */
    private int since;

    private boolean missing;

    /** Written under this object's lock, read by the thread that saves. */
    private volatile boolean changed;

    /** A communicator is there. */
    synchronized void add(Collectives collectives) {
        there.put(key(collectives), collectives);
        if (prologue != null) {
            since++;
            changed = true;
        }
    }

    /** The program has given it back. */
    synchronized void remove(Collectives collectives) {
        if (there.remove(key(collectives), collectives) && prologue != null) {
            boolean old = prologue.contains(collectives);
            missing |= old;
            since -= old ? 0 : 1;
            changed = missing || since > 0;
        }
    }

    private static Key key(Collectives collectives) {
        return new Key(collectives.comm.id, collectives.firstTag(), collectives instanceof InterCollectives);
    }

    /** Whether the program's {@link Checkpoint} may be opened: once. */
    synchronized boolean tryOpen() {
        boolean first = !opened;
        opened = true;
        return first;
    }

    /** The prologue ends. */
    synchronized void endPrologue() {
        prologue = Collections.newSetFromMap(new IdentityHashMap<>());
        prologue.addAll(there.values());
    }

    /** Whether others are there than at the end of the prologue. */
    boolean haveChanged() {
        return changed;
    }

    /** Of which communicator a collective is under way, as a part of a sentence; empty if of none that is there. */
    synchronized String whereUnderWay() {
        return there.values().stream()
                .filter(Collectives::isUnderWay)
                .findFirst()
                .map(collectives -> " of " + collectives.check.name())
                .orElse("");
    }

    synchronized void write(DataOutputStream image) throws IOException {
        image.writeInt(there.size());
        for (Map.Entry<Key, Collectives> each : there.entrySet()) {
            Key key = each.getKey();
            image.writeInt(key.id);
            image.writeInt(key.firstTag);
            image.writeBoolean(key.inter);
            image.writeInt(each.getValue().operations());
            image.writeInt(each.getValue().calls());
        }
    }

    /** @return false if the communicators that are there are not those of the image */
    synchronized boolean read(DataInputStream image) throws IOException {
        int left = there.size();
        boolean same = true;
        for (int saved = image.readInt(); saved > 0; saved--) {
            Collectives collectives = there.get(new Key(image.readInt(), image.readInt(), image.readBoolean()));
            int operations = image.readInt();
            int calls = image.readInt();
            if (collectives == null) {
                same = false;
            } else {
                collectives.goOn(operations, calls);
                left--;
            }
        }
        return same && left == 0;
    }
}
