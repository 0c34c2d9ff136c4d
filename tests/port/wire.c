// SPDX-License-Identifier: GPL-2.0
/*
 * Ethernet wires for scripts/test-bridge: what one end sends, the other receives. The ends of
 * wire N are the interfaces aN and bN. An end that is down receives nothing, and the other end
 * does not notice.
 *
 * Of other frames than the messages of the spanning tree, an end sends one in a tick and drops the
 * rest. Without that, a ring of bridges whose spanning tree is off may keep all CPUs busy for good.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>

static unsigned int wires = 8;
module_param(wires, uint, 0444);
MODULE_PARM_DESC(wires, "number of wires");

static struct net_device **ends; /* the ends of a wire are neighbours */

struct wire_end {
	struct net_device	*peer;
	u64			last;	/* the tick of the last frame that is no such message */
};

static netdev_tx_t wire_xmit(struct sk_buff *skb, struct net_device *dev)
{
	const struct ethhdr *header = (struct ethhdr *)skb->data;
	struct wire_end *end = netdev_priv(dev);

	if (!is_link_local_ether_addr(header->h_dest)) {
		if (time_after_eq64(end->last, get_jiffies_64())) {
			kfree_skb(skb);
			return NETDEV_TX_OK;
		}
		end->last = get_jiffies_64();
	}
	dev_forward_skb(end->peer, skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops wire_ops = {
	.ndo_start_xmit		= wire_xmit,
	.ndo_set_mac_address	= eth_mac_addr,
};

static void wire_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &wire_ops;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	eth_hw_addr_random(dev);
}

static struct net_device *wire_end_create(char side, unsigned int wire)
{
	char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "%c%u", side, wire);
	return alloc_netdev(sizeof(struct wire_end), name, NET_NAME_ENUM, wire_setup);
}

/* Ends that were not registered are skipped. A wire may send until both of its ends are gone. */
static void wire_destroy_all(void)
{
	unsigned int i;

	for (i = 0; i < 2 * wires; i++)
		if (ends[i] && ends[i]->reg_state == NETREG_REGISTERED)
			unregister_netdev(ends[i]);
	for (i = 0; i < 2 * wires; i++)
		if (ends[i])
			free_netdev(ends[i]);
	kfree(ends);
}

static int __init wire_init(void)
{
	struct wire_end *end;
	unsigned int i;
	int err = -ENOMEM;

	ends = kcalloc(2 * wires, sizeof(*ends), GFP_KERNEL);
	if (!ends)
		return -ENOMEM;
	for (i = 0; i < 2 * wires; i++) {
		ends[i] = wire_end_create("ab"[i % 2], i / 2);
		if (!ends[i])
			goto out_destroy;
	}
	for (i = 0; i < 2 * wires; i++) {
		end = netdev_priv(ends[i]);
		end->peer = ends[i ^ 1];
		err = register_netdev(ends[i]);
		if (err)
			goto out_destroy;
	}
	return 0;

out_destroy:
	wire_destroy_all();
	return err;
}
module_init(wire_init);

static void __exit wire_exit(void)
{
	wire_destroy_all();
}
module_exit(wire_exit);

MODULE_DESCRIPTION("Ethernet wires between bridges of a test");
MODULE_LICENSE("GPL");
