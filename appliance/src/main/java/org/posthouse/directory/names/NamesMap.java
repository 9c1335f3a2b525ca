package org.posthouse.directory.names;

import com.hazelcast.config.Config;
import com.hazelcast.config.ExecutorConfig;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;

/** The map of names, as each member configures it. Stateless. */
public final class NamesMap {
    /** Its name. */
    public static final String NAME = "posthouse.names";

    /** Copies of a record beside its owner's: as many as Hazelcast can keep. {@link NamesMajority} says why. */
    static final int BACKUPS = 6;

    private static final String PROTECTION = "posthouse.names.majority";
    private static final int MERGE_BATCH = 100;

    /** Not the size that is asked for, which {@link NamesMajority} knows: Hazelcast refuses a smaller one. */
    private static final int SIZE_MIN = 2;

    private NamesMap() {}

    /** Adds the map to a member's configuration. Reads are protected like writes: a part without a majority would answer with what is over. */
    public static void configure(Config config, NamesMajority majority) {
        config.addListenerConfig(new ListenerConfig(majority.merged()));
        config.addExecutorConfig(new ExecutorConfig(MergedMembers.EXECUTOR, 1).setStatisticsEnabled(false));
        config.addSplitBrainProtectionConfig(new SplitBrainProtectionConfig(PROTECTION, true, SIZE_MIN)
                .setProtectOn(SplitBrainProtectionOn.READ_WRITE)
                .setFunctionImplementation(majority));
        config.addMapConfig(new MapConfig(NAME)
                .setBackupCount(BACKUPS)
                .setInMemoryFormat(InMemoryFormat.BINARY)
                .setStatisticsEnabled(false)
                .setSplitBrainProtectionName(PROTECTION)
                .setMergePolicyConfig(new MergePolicyConfig(NewestNameMergePolicy.class.getName(), MERGE_BATCH)));
    }
}
