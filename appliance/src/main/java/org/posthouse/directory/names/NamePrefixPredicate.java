package org.posthouse.directory.names;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.query.Predicate;
import java.io.IOException;
import java.util.Map;

/** Selects the bound names at and below a prefix that come after another name. The value of a key that does not match is not read. */
final class NamePrefixPredicate implements Predicate<String, String>, IdentifiedDataSerializable {
    private static final long serialVersionUID = 1;

    private String prefix;
    private String after;

    /** For {@link NamesTypes}. */
    NamePrefixPredicate() {}

    /** @param after a key, or empty */
    NamePrefixPredicate(String prefix, String after) {
        this.prefix = prefix;
        this.after = after;
    }

    @Override
    public boolean apply(Map.Entry<String, String> entry) {
        String key = entry.getKey();
        return NameKeys.isBelow(key, prefix) && key.compareTo(after) > 0 && isBound(entry.getValue());
    }

    private static boolean isBound(String text) {
        try {
            return StoredName.parse(text).bound();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.BELOW;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeString(prefix);
        out.writeString(after);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        prefix = in.readString();
        after = in.readString();
    }
}
