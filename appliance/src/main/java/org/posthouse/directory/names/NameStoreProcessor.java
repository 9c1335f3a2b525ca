package org.posthouse.directory.names;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.Map;

/** Stores at a backup what the owner of a name has stored. */
final class NameStoreProcessor implements EntryProcessor<String, String, String>, IdentifiedDataSerializable {
    private static final long serialVersionUID = 1;

    private String text;

    /** For {@link NamesTypes}. */
    NameStoreProcessor() {}

    NameStoreProcessor(String text) {
        this.text = text;
    }

    @Override
    public String process(Map.Entry<String, String> entry) {
        entry.setValue(text);
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
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        text = in.readString();
    }
}
