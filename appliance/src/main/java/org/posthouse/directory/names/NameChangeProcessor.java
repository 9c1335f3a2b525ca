package org.posthouse.directory.names;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One change of one name, as one step at the owner of the name, by the rules of {@link NameService}. It runs on the partition's thread.
 *
 * <p>The owner alone decides. What it stores is what its backups store, whatever they had: a backup that missed a change agrees again with the next. The
 * answer is a text, because a failure of another member arrives without its kind: the first character says what came of it, and what is stored follows.
 */
final class NameChangeProcessor implements EntryProcessor<String, String, String>, IdentifiedDataSerializable {
    /** What may be asked. */
    enum Kind {
        BIND,
        REBIND,
        SWAP,
        UNBIND
    }

    /** It was done; what is stored now follows, or nothing if there was nothing to unbind. */
    static final char DONE = '=';

    /** Something else is stored, which follows, than the change asks for; or nothing is. */
    static final char OTHER = '!';

    /** Of a repetition: another change has been since, or may have been; what is stored follows. Nothing was applied. */
    static final char SUPERSEDED = '?';

    /** A record of a later epoch is stored, which follows. */
    static final char LATER_EPOCH = '>';

    /** The owner of the name is in a part of the group without a majority; the reason follows. */
    static final char NO_MAJORITY = '/';

    /** Too few relays of this part have a copy of the name; the reason follows. They are made within seconds after a relay has come or gone. */
    static final char NO_COPIES = '%';

    private static final Logger LOG = LoggerFactory.getLogger(NameChangeProcessor.class);
    private static final long serialVersionUID = 1;

    /** The one of the member on which this runs; it is not sent. */
    private final transient NamesMajority majority;

    private Kind kind;

    /** Whether the change was sent before and may have been done. */
    private boolean repeated;

    private long expected;
    private String text;

    /** What this has stored, for the backups; null if nothing. */
    private transient String stored;

    /** For {@link NamesTypes}, which reads a change of another member. */
    NameChangeProcessor(NamesMajority majority) {
        this.majority = majority;
    }

    /**
     * @param expected the version that swap and unbind ask for
     * @param wanted the record, at any version; of unbind only the change's id counts
     */
    NameChangeProcessor(NamesMajority majority, Kind kind, long expected, StoredName wanted) {
        this(majority);
        this.kind = kind;
        this.expected = expected;
        this.text = wanted.text();
    }

    /** The same change, sent again. It is applied only where what is stored shows that it never was. */
    NameChangeProcessor repetition() {
        NameChangeProcessor same = new NameChangeProcessor(majority, kind, expected, StoredName.parse(text));
        same.repeated = true;
        return same;
    }

    /** Whether it was sent before and may have been done. */
    boolean isRepetition() {
        return repeated;
    }

    @Override
    public String process(Map.Entry<String, String> entry) {
        Optional<String> lacking = majority.lacking();
        if (lacking.isPresent()) {
            return NO_MAJORITY + lacking.get();
        }
        Optional<String> lackingCopies = majority.lackingCopies(entry.getKey());
        if (lackingCopies.isPresent()) {
            return NO_COPIES + lackingCopies.get();
        }
        StoredName wanted = StoredName.parse(text);
        Optional<StoredName> last = read(entry.getKey(), entry.getValue());
        if (last.isPresent() && last.get().change().equals(wanted.change())) {
            return again(entry, last.get()); // It has come before; perhaps not all copies have it.
        }
        Optional<StoredName> there = last.filter(StoredName::bound);
        if (repeated && entry.getValue() != null && !isUntouched(there)) {
            return last.map(found -> superseded(entry, found)).orElse(String.valueOf(SUPERSEDED));
        }
        return kind == Kind.UNBIND ? unbind(entry, there, wanted) : write(entry, last, there, wanted);
    }

    /**
     * Whether the change has never been there. Versions only rise, those of unbound names too: a bound version 1 is the first change of all, and one that binds
     * or unbinds leaves no version bound that it was to replace.
     */
    private boolean isUntouched(Optional<StoredName> there) {
        boolean replacesVersion = (kind == Kind.SWAP || kind == Kind.UNBIND) && expected > 0;
        return there.map(StoredName::version).filter(version -> version == 1 || replacesVersion && version == expected).isPresent();
    }

    private String superseded(Map.Entry<String, String> entry, StoredName found) {
        again(entry, found);
        return SUPERSEDED + stored;
    }

    private String write(Map.Entry<String, String> entry, Optional<StoredName> last, Optional<StoredName> there, StoredName wanted) {
        if (kind == Kind.BIND && there.isPresent() && there.get().record().equals(wanted.record())) {
            return again(entry, there.get());
        }
        boolean asExpected = switch (kind) {
            case BIND -> there.isEmpty();
            case REBIND -> there.isPresent();
            default -> expected == there.map(StoredName::version).orElse(0L);
        };
        if (!asExpected) {
            return OTHER + there.map(StoredName::text).orElse("");
        }
        if (there.isPresent() && wanted.epoch() < there.get().epoch()) {
            return LATER_EPOCH + there.get().text();
        }
        long version = last.map(StoredName::version).orElse(0L) + 1;
        NameRecord record = new NameRecord(new TreeMap<>(wanted.fields()), wanted.epoch());
        return store(entry, StoredName.of(record, version, term(last), wanted.change()));
    }

    private String unbind(Map.Entry<String, String> entry, Optional<StoredName> there, StoredName wanted) {
        if (expected != NameService.ANY_VERSION && expected != there.map(StoredName::version).orElse(0L)) {
            return OTHER + there.map(StoredName::text).orElse("");
        }
        return there.map(found -> store(entry, found.unbound(term(there), wanted.change()))).orElse(String.valueOf(DONE));
    }

    /** Stores what is stored, so that all copies confirm it. */
    private String again(Map.Entry<String, String> entry, StoredName same) {
        return store(entry, same);
    }

    private long term(Optional<StoredName> last) {
        return Math.max(majority.term(), last.map(StoredName::term).orElse(0L));
    }

    private String store(Map.Entry<String, String> entry, StoredName next) {
        stored = next.text();
        entry.setValue(stored);
        return DONE + stored;
    }

    /** What no relay has written counts as nothing. */
    private static Optional<StoredName> read(String key, String text) {
        try {
            return Optional.ofNullable(text).map(StoredName::parse);
        } catch (IllegalArgumentException e) {
            LOG.error("names: what is stored at {} is replaced", key, e);
            return Optional.empty();
        }
    }

    /** Called after {@link #process}; null if that has stored nothing. */
    @Override
    public EntryProcessor<String, String, String> getBackupProcessor() {
        return stored == null ? null : new NameStoreProcessor(stored);
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.CHANGE;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeString(kind.name());
        out.writeLong(expected);
        out.writeString(text);
        out.writeBoolean(repeated);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        kind = Kind.valueOf(in.readString());
        expected = in.readLong();
        text = in.readString();
        repeated = in.readBoolean();
    }
}
