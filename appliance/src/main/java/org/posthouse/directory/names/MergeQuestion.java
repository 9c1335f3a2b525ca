package org.posthouse.directory.names;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.concurrent.Callable;

/** Asks a member whether it merges nothing. */
final class MergeQuestion implements Callable<Boolean>, IdentifiedDataSerializable {
    /** Those of the member on which this runs; they are not sent. */
    private final MergedMembers members;

    /** Whether it is asked for itself alone, without those that came with it. */
    private boolean itself;

    MergeQuestion(MergedMembers members, boolean itself) {
        this.members = members;
        this.itself = itself;
    }

    @Override
    public Boolean call() {
        return itself ? members.hasMergedItself() : members.hasMerged();
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.MERGE_QUESTION;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeBoolean(itself);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        itself = in.readBoolean();
    }
}
