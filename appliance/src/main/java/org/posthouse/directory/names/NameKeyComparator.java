package org.posthouse.directory.names;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.util.Comparator;
import java.util.Map;

/** The order of names, for pages. */
final class NameKeyComparator implements Comparator<Map.Entry<String, String>>, IdentifiedDataSerializable {
    @Override
    public int compare(Map.Entry<String, String> one, Map.Entry<String, String> other) {
        return one.getKey().compareTo(other.getKey());
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.ORDER;
    }

    @Override
    public void writeData(ObjectDataOutput out) {}

    @Override
    public void readData(ObjectDataInput in) {}
}
