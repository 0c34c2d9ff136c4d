scenario8: scenario8.c device.h ../../include/uapi/linux/twheel.h \
 harness.h
device.h:
../../include/uapi/linux/twheel.h:
harness.h:
