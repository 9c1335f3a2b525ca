package org.posthouse.names;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The rules of names, versions and epochs, over a map in memory. Not thread-safe; without threads, clocks and sockets, so that replicas that apply the same
 * calls in the same order hold the same. A call that is refused throws a {@link NameException} and changes nothing.
 */
public final class NameTable {
    /** Most names, bound or remembered. */
    public static final int NAMES_MAX = 65_536;

    /** Most bytes of all names and records, bound or remembered, in UTF-8: 1,000 of the largest records. A relay has a heap of 1 GiB. */
    public static final long BYTES_MAX = 64L << 20;

    private final TreeMap<Name, NameChange> entries = new TreeMap<>();
    private final Consumer<NameChange> changed;
    private final int namesMax;
    private final long bytesMax;

    /** Bytes of all names and records. */
    private long bytes;

    /** The highest version of all names that were forgotten. A name that is not known begins above it, so no version comes twice. */
    private long forgottenVersion;

    /** @param changed told of each change after it was made */
    public NameTable(Consumer<NameChange> changed) {
        this(changed, NAMES_MAX, BYTES_MAX);
    }

    NameTable(Consumer<NameChange> changed, int namesMax, long bytesMax) {
        this.changed = changed;
        this.namesMax = namesMax;
        this.bytesMax = bytesMax;
    }

    /** @see NameService#bind */
    public BoundName bind(Name name, NameRecord record) {
        Optional<BoundName> there = lookup(name);
        if (there.isPresent() && there.get().record().equals(record)) {
            return there.get();
        }
        there.ifPresent(found -> {
            throw NameException.alreadyBound(found);
        });
        return store(name, record);
    }

    /** @see NameService#rebind */
    public BoundName rebind(Name name, NameRecord record) {
        checkEpoch(lookup(name).orElseThrow(() -> NameException.notBound(name)), record);
        return store(name, record);
    }

    /** @see NameService#swap */
    public BoundName swap(Name name, long expected, NameRecord record) {
        Optional<BoundName> there = lookup(name);
        checkVersion(name, expected, there);
        there.ifPresent(found -> checkEpoch(found, record));
        return store(name, record);
    }

    /** @see NameService#lookup */
    public Optional<BoundName> lookup(Name name) {
        return Optional.ofNullable(entries.get(name)).filter(NameChange::present).map(NameChange::bound);
    }

    /** @see NameService#unbind */
    public boolean unbind(Name name, long expected) {
        Optional<BoundName> there = lookup(name);
        if (expected != NameService.ANY_VERSION) {
            checkVersion(name, expected, there);
        }
        there.ifPresent(found -> put(new NameChange(found, false)));
        return there.isPresent();
    }

    /** @see NameService#list */
    public List<BoundName> list(Name prefix, int limit, Optional<Name> after) {
        return entries.tailMap(after.orElse(prefix), after.isEmpty()).values().stream()
                .takeWhile(entry -> entry.bound().name().isBelow(prefix))
                .filter(NameChange::present)
                .map(NameChange::bound)
                .limit(limit)
                .toList();
    }

    /** All names in their order, bound or remembered. A view: it changes with the table. */
    public Collection<NameChange> entries() {
        return Collections.unmodifiableCollection(entries.values());
    }

    /** The highest version of all names that were forgotten; 0 if none was. */
    public long forgottenVersion() {
        return forgottenVersion;
    }

    /** Replaces everything by another table's {@link #entries} and {@link #forgottenVersion}. Nobody is told. */
    public void restore(Collection<NameChange> restored, long forgotten) {
        entries.clear();
        restored.forEach(entry -> entries.put(entry.bound().name(), entry));
        bytes = restored.stream().mapToLong(entry -> bytes(entry.bound())).sum();
        forgottenVersion = forgotten;
    }

    private static void checkVersion(Name name, long expected, Optional<BoundName> there) {
        if (expected != there.map(BoundName::version).orElse(0L)) {
            throw NameException.conflict(name, expected, there.orElse(null));
        }
    }

    private static void checkEpoch(BoundName found, NameRecord record) {
        if (record.epoch() < found.record().epoch()) {
            throw NameException.laterEpoch(found, record.epoch());
        }
    }

    private BoundName store(Name name, NameRecord record) {
        NameChange last = entries.get(name);
        long more = name.toString().length() + record.bytes() - (last == null ? 0 : bytes(last.bound()));
        while (last == null && entries.size() >= namesMax || more > 0 && bytes + more > bytesMax) {
            forgetOne(name);
        }
        bytes += more;
        BoundName bound = new BoundName(name, record, (last == null ? forgottenVersion : last.bound().version()) + 1);
        put(new NameChange(bound, true));
        return bound;
    }

    private void put(NameChange change) {
        entries.put(change.bound().name(), change);
        changed.accept(change);
    }

    /** Makes room by a name that is not bound, and is not the one that is to be stored. */
    private void forgetOne(Name stored) {
        BoundName gone =
                entries.values().stream().filter(entry -> !entry.present()).map(NameChange::bound).filter(bound -> !bound.name().equals(stored)).findFirst()
                        .orElseThrow(() -> new NameException(NameException.Kind.TOO_LARGE,
                                entries.size() + " names are bound, of " + bytes + " bytes; there is room for "
                                        + namesMax + " names and " + bytesMax + " bytes: unbind some"));
        entries.remove(gone.name());
        bytes -= bytes(gone);
        forgottenVersion = Math.max(forgottenVersion, gone.version());
    }

    private static long bytes(BoundName bound) {
        return bound.name().toString().length() + bound.record().bytes();
    }
}
