package org.posthouse.directory.names;

import com.hazelcast.aggregation.Aggregator;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.Map;

/** Adds up the characters of the keys and texts that the group stores, those of unbound names too. Each owner adds up its own. */
final class StoredSize implements Aggregator<Map.Entry<String, String>, Long>, IdentifiedDataSerializable {
    private static final long serialVersionUID = 1;

    private long chars;

    @Override
    public void accumulate(Map.Entry<String, String> entry) {
        chars += entry.getKey().length() + entry.getValue().length();
    }

    @Override
    @SuppressWarnings("rawtypes")
    public void combine(Aggregator other) {
        chars += ((StoredSize) other).chars;
    }

    @Override
    public Long aggregate() {
        return chars;
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.SIZE;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeLong(chars);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        chars = in.readLong();
    }
}
