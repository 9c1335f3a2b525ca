package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How far this process is with the collectives of each of its communicators: what an image needs of them. Thread-safe. */
final class Positions {
    /** Collectives that share a number share a context, and count in places of their own. */
    private record Key(int id, int firstTag, boolean inter) {}

    private final Map<Key, Collectives> last = new LinkedHashMap<>();
    private boolean opened;

    /** A communicator has its number; one that had it before was freed. */
    synchronized void add(Collectives collectives) {
        last.put(key(collectives), collectives);
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

    /** Those of communicators that are there. */
    synchronized List<Collectives> live(Contexts contexts) {
        last.keySet().removeIf(key -> contexts.isFree(key.id));
        return new ArrayList<>(last.values());
    }

    static void write(List<Collectives> live, DataOutputStream image) throws IOException {
        image.writeInt(live.size());
        for (Collectives collectives : live) {
            Key key = key(collectives);
            image.writeInt(key.id);
            image.writeInt(key.firstTag);
            image.writeBoolean(key.inter);
            image.writeInt(collectives.operations());
            image.writeInt(collectives.calls());
        }
    }

    /** @return false if the communicators that are there are not those of the image */
    synchronized boolean read(DataInputStream image, Contexts contexts) throws IOException {
        int missing = live(contexts).size();
        boolean same = true;
        for (int left = image.readInt(); left > 0; left--) {
            Collectives collectives = last.get(new Key(image.readInt(), image.readInt(), image.readBoolean()));
            int operations = image.readInt();
            int calls = image.readInt();
            if (collectives == null) {
                same = false;
            } else {
                collectives.goOn(operations, calls);
                missing--;
            }
        }
        return same && missing == 0;
    }
}
