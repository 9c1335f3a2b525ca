package org.posthouse.directory;

import com.hazelcast.nio.serialization.DataSerializableFactory;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import org.posthouse.directory.names.NamesMajority;
import org.posthouse.directory.names.NamesTypes;

/** Creates the few objects, beside strings, that members send each other, by number: no class name is sent. */
final class GroupTypes implements DataSerializableFactory {
    /** Never reuse a number for another class: members of two releases may share a group. */
    static final int FACTORY = NamesTypes.FACTORY;

    static final int POST = 1;
    static final int NEWEST_MERGE = 2;

    private final PostingProof proof;
    private final NamesMajority majority;

    GroupTypes(PostingProof proof, NamesMajority majority) {
        this.proof = proof;
        this.majority = majority;
    }

    @Override
    public IdentifiedDataSerializable create(int typeId) {
        return switch (typeId) {
            case POST -> new PostProcessor(proof);
            case NEWEST_MERGE -> new NewestWinsMergePolicy(proof);
            default -> NamesTypes.create(typeId, majority);
        };
    }
}
