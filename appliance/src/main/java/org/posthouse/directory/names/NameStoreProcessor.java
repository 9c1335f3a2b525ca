package org.posthouse.directory.names;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Stores at a backup what the owner of a name has stored. */
final class NameStoreProcessor implements EntryProcessor<String, String, String>, IdentifiedDataSerializable {
    private static final long serialVersionUID = 1;

    private String text;
    private int forSeconds;

    /** For {@link NamesTypes}. */
    NameStoreProcessor() {}

    NameStoreProcessor(String text, int forSeconds) {
        this.text = text;
        this.forSeconds = forSeconds;
    }

    /** @param forSeconds after which Hazelcast forgets it; 0: never */
    static void store(ExtendedMapEntry<String, String> entry, String text, int forSeconds) {
        entry.setValue(text, forSeconds, TimeUnit.SECONDS);
    }

    @Override
    public String process(Map.Entry<String, String> entry) {
        store((ExtendedMapEntry<String, String>) entry, text, forSeconds);
        return null;
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.STORE;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeString(text);
        out.writeInt(forSeconds);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        text = in.readString();
        forSeconds = in.readInt();
    }
}
